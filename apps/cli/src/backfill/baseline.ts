import type { CommitPush } from '@lineprint/contracts';
import { type CommitRef, readBaseline, type Repository } from '@lineprint/git';
import { LineprintError } from '@lineprint/platform';
import type { Connection } from '../commands/connection';

/**
 * Sends the files that stand before the first of the commits, so that the server knows how frequent their lines
 * are. Nothing is sent where the history begins with that commit, where the clone does not have its parent, or to a
 * server that knows the repository.
 *
 * @returns how many files were sent
 * @throws LineprintError with the server's code when it refuses them
 */
export async function sendBaseline(
  refs: readonly CommitRef[],
  repository: Repository,
  names: Pick<CommitPush, 'repository' | 'projectId'>,
  { client, door }: Pick<Connection, 'client' | 'door'>,
): Promise<number> {
  const parent = refs[0]?.parents[0];
  let files = 0;
  if (parent === undefined || !(await door.wantsBaseline(names.repository))) return files;
  try {
    for await (const part of readBaseline(repository, parent)) {
      const { rejected } = await client.sendCommits([{ ...part, ...names }]);
      const refused = rejected[0];
      if (refused) {
        throw new LineprintError(refused.code, `The server refused the baseline: ${refused.detail}`);
      }
      files += part.files.length;
    }
  } catch (error) {
    // A shallow clone ends somewhere.
    if (!(error instanceof LineprintError) || error.code !== 'unknown-ref') throw error;
  }
  return files;
}
