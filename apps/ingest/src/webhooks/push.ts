import type { GitHost } from '@lineprint/contracts';
import { z } from 'zod';

/** What a push did to a branch. */
export interface BranchChange {
  readonly branch: string;
  /** The commit that it names now; null where it was deleted. */
  readonly after: string | null;
}

const HEADS = 'refs/heads/';
const ZEROS = /^0+$/;

const PUSH_EVENTS: Readonly<Record<GitHost, string>> = {
  github: 'push',
  gitlab: 'Push Hook',
  gitea: 'push',
  'bitbucket-cloud': 'repo:push',
  'bitbucket-dc': 'repo:refs_changed',
};

const refPush = z.object({ ref: z.string(), after: z.string() });
const cloudPush = z.object({
  push: z.object({
    changes: z.array(
      z.object({
        new: z
          .object({ type: z.string(), name: z.string(), target: z.object({ hash: z.string() }) })
          .nullable(),
        old: z.object({ type: z.string(), name: z.string() }).nullable(),
      }),
    ),
  }),
});
const dataCenterPush = z.object({
  changes: z.array(z.object({ refId: z.string(), toHash: z.string(), type: z.string() })),
});

export function isPushEvent(host: GitHost, event: string): boolean {
  return event === PUSH_EVENTS[host];
}

/**
 * The branches that a push changed; tags and other refs are left out. A push is a hint: commits that it lists, or
 * leaves out because they are too many, are not looked at.
 *
 * @returns undefined for a body of another shape than we know: then git has to be asked
 */
export function changesOf(host: GitHost, body: unknown): BranchChange[] | undefined {
  if (host === 'bitbucket-cloud') {
    const parsed = cloudPush.safeParse(body);
    return parsed.data?.push.changes.flatMap((change) => {
      const ref = change.new ?? change.old;
      return ref?.type === 'branch' ? [{ branch: ref.name, after: change.new?.target.hash ?? null }] : [];
    });
  }
  if (host === 'bitbucket-dc') {
    const parsed = dataCenterPush.safeParse(body);
    return parsed.data?.changes.flatMap(({ refId, toHash, type }) =>
      branchChange(refId, type === 'DELETE' ? '' : toHash),
    );
  }
  const parsed = refPush.safeParse(body);
  return parsed.data && branchChange(parsed.data.ref, parsed.data.after);
}

function branchChange(ref: string, after: string): BranchChange[] {
  if (!ref.startsWith(HEADS)) return [];
  return [{ branch: ref.slice(HEADS.length), after: ZEROS.test(after) || after === '' ? null : after }];
}
