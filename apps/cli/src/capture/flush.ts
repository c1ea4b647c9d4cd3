import { setTimeout as wait } from 'node:timers/promises';
import { type CaptureState, loadProgress, sendSpool } from '@lineprint/capture';

export interface FlushResult {
  readonly outcome: Awaited<ReturnType<typeof sendSpool>>;
  /** Why not everything was sent. */
  readonly problem?: string;
}

export const FLUSH_TIMEOUT_MS = 60_000;
/** How often it is looked whether another process has finished sending. */
const BUSY_POLL_MS = 100;

/** Sends what hooks put aside and what is spooled, after whoever is sending it now. Never throws. */
export async function flushSpool(state: CaptureState, timeoutMs = FLUSH_TIMEOUT_MS): Promise<FlushResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  let outcome = await sendSpool(state, { now: true, signal });
  while (outcome === 'busy' && !signal.aborted) {
    await wait(BUSY_POLL_MS);
    outcome = await sendSpool(state, { now: true, signal });
  }
  if (outcome === 'sent') return { outcome };
  const { lastError } = loadProgress(state.progressPath);
  const why = outcome === 'failed' && !signal.aborted ? lastError?.message : undefined;
  return { outcome, problem: why ?? `no answer within ${timeoutMs} ms` };
}
