import { z } from 'zod';
import { count, epochMs, identifier, sha } from '../primitives';

const codeIds = z.array(identifier(64)).max(10_000);

const sessionSummary = {
  sessionId: identifier(64),
  userId: identifier(255).optional(),
  projectId: identifier(255).optional(),
  orgId: identifier(255).optional(),
  repository: identifier(255).optional(),
  timestamp: epochMs,
  tab: z
    .object({
      suggestionsShown: count,
      suggestionsAccepted: count,
      charsAccepted: count,
      fingerprints: codeIds,
    })
    .optional(),
  chat: z.object({ edits: count, additions: count, deletions: count, fingerprints: codeIds }).optional(),
  agent: z.object({ tasks: count, additions: count, deletions: count, fingerprints: codeIds }).optional(),
  gitBaseline: z.object({ headCommit: sha.or(z.literal('')), additions: count, deletions: count }).optional(),
};

/** The seed's `CodeGenStatsPayload`. `userId` and `repository` are ours; without `userId`
 * the session's fingerprints name the user. */
export const codeGenStatsSchema = z.object(sessionSummary);
export type CodeGenStats = z.infer<typeof codeGenStatsSchema>;

/** Value of `lineprint.activity.v1`, key `tenant/project`: a session's running totals, the newest wins. */
export const activityEventSchema = z.object({
  ...sessionSummary,
  tenant: identifier(64),
  projectId: identifier(255),
});
export type ActivityEvent = z.infer<typeof activityEventSchema>;
