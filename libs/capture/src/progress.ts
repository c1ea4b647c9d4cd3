import { readJson, writeAtomically } from './atomic-file';

/** How far sending has come. Written by the one sender; with what is spooled it accounts for all that was captured. */
export interface Progress {
  readonly sent: number;
  readonly refused: number;
  /** Given up because the spool was full, they were too old, or a file was damaged. */
  readonly dropped: number;
  /** Segments whose outcome is in the numbers above, and which may still lie in the spool. */
  readonly answered: readonly string[];
  /** Failures since the last success. */
  readonly failures: number;
  /** Nobody needs to try before, in milliseconds since 1970. */
  readonly nextTryAt?: number;
  readonly lastSentAt?: number;
  readonly lastError?: { readonly at: number; readonly code: string; readonly message: string };
}

const NOTHING: Progress = { sent: 0, refused: 0, dropped: 0, answered: [], failures: 0 };

export function loadProgress(path: string): Progress {
  return { ...NOTHING, ...readJson<Partial<Progress>>(path) };
}

export function saveProgress(path: string, progress: Progress): void {
  writeAtomically(path, JSON.stringify(progress));
}
