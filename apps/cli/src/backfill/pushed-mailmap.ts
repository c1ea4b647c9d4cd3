import { ClientRefusal, type LineprintClient } from '@lineprint/capture';
import { readMailmap, type Repository } from '@lineprint/git';
import type { PushedBranch } from './pushed-branch';

/** Says which addresses are whose by the .mailmap of the default branch, when it was pushed. */
export async function tellMailmap(
  client: LineprintClient,
  repository: Repository,
  { repository: name, branch, defaultBranch, sha }: PushedBranch,
): Promise<void> {
  if (branch === undefined || branch !== defaultBranch || sha === null) return;
  try {
    await client.sendMailmap({ repository: name, content: await readMailmap(repository, sha) });
  } catch (error) {
    // A personal key has no say in it, and a server of an earlier release no place for it.
    if (!(error instanceof ClientRefusal) || ![403, 404].includes(error.status)) throw error;
  }
}
