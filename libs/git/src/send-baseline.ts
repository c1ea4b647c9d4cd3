import type { CommitPush } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import { readBaseline } from './baseline';
import type { Repository } from './repository';
import type { HistorySink } from './send-history';

/**
 * Sends the files that stand at a commit, so that the server knows how frequent the lines are that its successors
 * add to. Nothing is sent where the clone does not have the commit: a shallow one ends somewhere.
 *
 * @returns how many files were sent
 * @throws LineprintError with the server's code when it refuses them
 */
export async function sendBaseline(
  repository: Repository,
  sha: string,
  names: Pick<CommitPush, 'repository' | 'projectId'>,
  sink: Pick<HistorySink, 'sendCommits'>,
): Promise<number> {
  let files = 0;
  try {
    for await (const part of readBaseline(repository, sha)) {
      const { rejected } = await sink.sendCommits([{ ...part, ...names }]);
      const refused = rejected[0];
      if (refused) {
        throw new LineprintError(refused.code, `The server refused the baseline: ${refused.detail}`);
      }
      files += part.files.length;
    }
  } catch (error) {
    if (!(error instanceof LineprintError) || error.code !== 'unknown-ref') throw error;
  }
  return files;
}
