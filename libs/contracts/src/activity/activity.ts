import { z } from 'zod';
import { count, epochMs, identifier, sha } from '../primitives';

const share = z.number().min(0).max(1);
const codeIds = z.array(identifier(64)).max(10_000);

/**
 * How accepted completions stood some time after: by edit distance to the text around their place, in words and in
 * characters, as means of 1 (unchanged) to 0 over the checks. Still in code: at most half of its words differ.
 */
const survivalTotals = z.object({
  afterSeconds: z.literal([15, 30, 120, 300, 600]),
  checks: count,
  stillInCode: count,
  wordSimilarity: share,
  charSimilarity: share,
});

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
      /** Ours. */
      survival: z.array(survivalTotals).max(5).optional(),
    })
    .optional(),
  chat: z.object({ edits: count, additions: count, deletions: count, fingerprints: codeIds }).optional(),
  agent: z.object({ tasks: count, additions: count, deletions: count, fingerprints: codeIds }).optional(),
  gitBaseline: z.object({ headCommit: sha.or(z.literal('')), additions: count, deletions: count }).optional(),
};

/** The seed's `CodeGenStatsPayload`. `userId`, `repository` and `survival` are ours; without `userId`
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
