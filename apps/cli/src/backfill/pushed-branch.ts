import { ClientRefusal, type LineprintClient } from '@lineprint/capture';

export interface PushedBranch {
  readonly repository: string;
  readonly projectId?: string;
  /** Undefined where nobody knows which it is: then nothing is told. */
  readonly branch: string | undefined;
  readonly defaultBranch: string | undefined;
  /** What it names now; null where it was deleted. */
  readonly sha: string | null;
  /** What it named before, where that is known. */
  readonly before?: string;
}

/** Says what a branch names, after its commits: those that no counted branch leads to are provisional. */
export async function tellBranch(client: LineprintClient, pushed: PushedBranch): Promise<void> {
  const { repository, projectId, branch, defaultBranch, sha, before } = pushed;
  if (branch === undefined || defaultBranch === undefined) return;
  const refs = {
    repository,
    ...(projectId === undefined ? {} : { projectId }),
    refs: [
      {
        ref: `refs/heads/${branch}`,
        sha,
        isDefault: branch === defaultBranch,
        ...(before === undefined ? {} : { before }),
      },
    ],
  };
  try {
    await client.sendRefs(refs);
  } catch (error) {
    // A server of an earlier release: there everything counts.
    if (!(error instanceof ClientRefusal) || error.status !== 404) throw error;
  }
}
