import { isTransient, LineprintError } from '@lineprint/platform';
import type { ReadClient, Summary } from '../api/read-client';

const POLL_MS = 500;

/**
 * Waits until every pushed commit has its verdict. A server that does not answer is a server where nothing
 * moves: it may be back in time.
 * @throws LineprintError `analysis-stalled` when nothing moves for `stallMs`
 */
export async function waitForAnalysis(
  client: ReadClient,
  expected: number,
  options: {
    repository?: string;
    stallMs?: number;
    onProgress?: (done: number) => void;
    signal?: AbortSignal;
  } = {},
): Promise<Summary> {
  const stallMs = options.stallMs ?? 180_000;
  let last = -1;
  let done = 0;
  let movedAt = Date.now();
  for (;;) {
    try {
      done = await client.analysed(options.repository);
      if (done !== last) {
        last = done;
        movedAt = Date.now();
        options.onProgress?.(done);
      }
      if (done >= expected || options.signal?.aborted) return await client.summary(options.repository);
    } catch (error) {
      if (!isTransient(error) || options.signal?.aborted || Date.now() - movedAt > stallMs) throw error;
    }
    if (Date.now() - movedAt > stallMs) {
      throw new LineprintError(
        'analysis-stalled',
        `${expected - done} of ${expected} commits have no result and nothing moves. The service log and the dead-letter topics say why.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
