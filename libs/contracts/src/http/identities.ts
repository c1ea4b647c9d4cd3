import { z } from 'zod';
import { identifier, storedText } from '../primitives';

/** `person` writes code; `bot` is a program of the team's; `assistant` an AI that commits under a name of its own. */
export const personKinds = ['person', 'bot', 'assistant'] as const;
export const personKindSchema = z.enum(personKinds);
export type PersonKind = (typeof personKinds)[number];

/** Why an address is a person's: somebody said so, a mailmap does, a host's noreply address or the login in it does. */
export const aliasReasons = ['manual', 'mailmap', 'noreply', 'login'] as const;
export type AliasReason = (typeof aliasReasons)[number];

/** One line of a .mailmap, as gitmailmap(5) describes it. What a line leaves out is null. */
export interface MailmapEntry {
  readonly properName: string | null;
  readonly properEmail: string | null;
  readonly commitName: string | null;
  readonly commitEmail: string;
}

const MAX_MAILMAP_CHARACTERS = 1_000_000;

/** Body of `POST /api/v1/identities/mailmap`. */
export const mailmapPushSchema = z.object({
  /** The repository whose mailmap it is; a list that belongs to none has a name of its own. */
  repository: identifier(255),
  /** The whole file as it is at HEAD; empty where there is none any more. */
  content: storedText(MAX_MAILMAP_CHARACTERS),
});
export type MailmapPush = z.infer<typeof mailmapPushSchema>;

/** An address that mailmaps say different things of: it is nobody's but its own until somebody decides. */
export const mailmapConflictSchema = z.object({
  /**
   * `mailmaps-differ`: two mailmaps give it to different people. `address-shared`: several people commit with it, whom
   * a mailmap tells apart by name, which the rows of results do not have.
   */
  code: z.enum(['mailmaps-differ', 'address-shared']),
  alias: z.string(),
  people: z.array(z.string()),
  repositories: z.array(z.string()),
});
export type MailmapConflict = z.infer<typeof mailmapConflictSchema>;

/** Answer of `POST /api/v1/identities/mailmap`. */
export const mailmapAnswerSchema = z.object({
  repository: z.string(),
  entries: z.int().min(0),
  conflicts: z.array(mailmapConflictSchema),
});
export type MailmapAnswer = z.infer<typeof mailmapAnswerSchema>;
