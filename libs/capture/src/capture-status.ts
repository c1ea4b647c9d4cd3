import { existsSync, readFileSync } from 'node:fs';
import type { CaptureState } from './capture-state';
import { LineprintClient } from './client';
import { loadProgress, type Progress } from './progress';
import { Spool } from './spool';

export interface CaptureStatus {
  readonly state: string;
  readonly user: string;
  readonly organisation: string;
  /** Fingerprints: all that were made, each of which is one of the four below. */
  readonly captured: number;
  readonly sent: number;
  readonly spooled: number;
  readonly refused: number;
  readonly dropped: number;
  /** Edits whose fingerprints are still to be made. */
  readonly inbox: number;
  readonly lastSentAt: string | null;
  readonly nextTryAt: string | null;
  readonly lastError: { readonly at: string; readonly code: string; readonly message: string } | null;
  readonly server: { readonly url: string; readonly reachable: boolean; readonly problem: string | null };
}

const ANSWER_WITHIN_MS = 3000;

/**
 * What was captured and what became of it; asks the server whether it answers, for at most 3 s.
 * @throws NotEnrolled
 */
export async function captureStatus(state: CaptureState): Promise<CaptureStatus> {
  const { url, apiKey, userId, orgId } = state.settings();
  const progress = loadProgress(state.progressPath);
  const spooled = spooledRecords(state, progress).length;
  const { sent, refused, dropped, lastError } = progress;
  const problem = await problemOf(
    new LineprintClient({ url, apiKey, retries: 0, timeoutMs: ANSWER_WITHIN_MS }),
  );
  const date = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    state: state.directory,
    user: userId,
    organisation: orgId,
    captured: sent + spooled + refused + dropped,
    sent,
    spooled,
    refused,
    dropped,
    inbox: new Spool(state.inboxDirectory).segments().length,
    lastSentAt: date(progress.lastSentAt),
    nextTryAt: date(progress.nextTryAt),
    lastError: lastError ? { ...lastError, at: new Date(lastError.at).toISOString() } : null,
    server: { url, reachable: problem === null, problem },
  };
}

/** What would be sent now, as it would be sent: one JSON text a fingerprint. */
export function spooledRecords(state: CaptureState, { answered }: Pick<Progress, 'answered'>): string[] {
  const spool = new Spool(state.spoolDirectory);
  return spool
    .segments()
    .filter(({ name }) => !answered.includes(name))
    .flatMap(({ name }) => spool.read(name));
}

/** What was captured last, sent or not, as it is sent; nothing before the first capture. */
export function lastRecord(state: CaptureState): string | undefined {
  const spooled = spooledRecords(state, loadProgress(state.progressPath));
  if (spooled.length > 0 || !existsSync(state.lastPath)) return spooled.at(-1);
  return readFileSync(state.lastPath, 'utf8').split('\n').filter(Boolean).at(-1);
}

async function problemOf(client: LineprintClient): Promise<string | null> {
  try {
    await client.enrolment();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The same in lines for a person. */
export function statusText(status: CaptureStatus): string {
  const { server, lastError } = status;
  return [
    `captured   ${status.captured}${status.inbox > 0 ? ` and ${status.inbox} edits that are being read` : ''}`,
    `sent       ${status.sent}${status.lastSentAt ? `, last at ${status.lastSentAt}` : ''}`,
    `spooled    ${status.spooled}${status.nextTryAt ? `, next try after ${status.nextTryAt}` : ''}`,
    `refused    ${status.refused}`,
    `dropped    ${status.dropped}`,
    `last error ${lastError ? `${lastError.at} ${lastError.message} (${lastError.code})` : 'none'}`,
    `server     ${server.url} ${server.reachable ? 'answers' : `does not answer: ${server.problem}`}`,
    `user       ${status.user}, organisation ${status.organisation}`,
    `state      ${status.state}`,
  ].join('\n');
}
