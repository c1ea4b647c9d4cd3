import { z } from 'zod';
import { identifier, sha, storedText } from '../primitives';

/** What a ref of a repository names now. */
const refFields = {
  /** The full name, e.g. `refs/heads/main`. Tags and other refs name nothing that counts. */
  ref: storedText(512).regex(/^refs\/heads\/./, 'must be a branch, as in `refs/heads/main`'),
  /** The commit that it names; null where it was deleted. */
  sha: sha.nullable(),
  isDefault: z.boolean(),
  /**
   * The commit that it named before, as far as whoever tells it knows. Without it a ref does not go back to an ancestor
   * of the commit that it names: what is older is only told late then.
   */
  before: sha.optional(),
};

const refPushSchema = z.object(refFields);

/** Refs of one event. A repository may have more branches, but hardly more that count. */
const MAX_REFS = 10_000;

const shared = {
  repository: identifier(255),
  projectId: identifier(255).optional(),
};

/** Body of `POST /api/v1/refs`. */
export const refsPushSchema = z.object({
  ...shared,
  refs: z.array(refPushSchema).min(1).max(1_000),
});
export type RefsPush = z.infer<typeof refsPushSchema>;

export const countedRefSchema = z.object({
  ...refFields,
  /** Whether the repository's own setting, or the installation's, lets its commits count beside the default branch's. */
  counts: z.boolean(),
});
export type CountedRef = z.infer<typeof countedRefSchema>;

/**
 * What refs of a repository name, as of its place in the log. A value of `lineprint.commits.v1` whose `ce_type` is
 * `REFS_EVENT`, and passed on from there in the order of the repository's commits.
 */
export const refsEventSchema = z.object({
  tenant: identifier(64),
  repository: identifier(255),
  refs: z.array(countedRefSchema).max(MAX_REFS),
  /** True where there are no other refs that count, and each of them names just this: whoever tells it asked the host. */
  complete: z.boolean(),
});
export type RefsEvent = z.infer<typeof refsEventSchema>;
