/** What one check has found. */
export interface Finding {
  readonly name: string;
  /** `skipped`: it could not be looked at, and nothing is said about it. */
  readonly state: 'ok' | 'warning' | 'error' | 'skipped';
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

export type Found = Omit<Finding, 'name'>;

export const ok = (detail: string): Found => ({ state: 'ok', detail });
export const skipped = (detail: string): Found => ({ state: 'skipped', detail });
export const warning = (detail: string, advice: string): Found => ({ state: 'warning', detail, advice });
export const failure = (detail: string, advice: string): Found => ({ state: 'error', detail, advice });

/** Runs checks, each within its time, so that none can hold up the others for good. */
export class Checks {
  readonly findings: Finding[] = [];

  /** @param limitMs how long each may take, milliseconds */
  constructor(readonly limitMs: number) {}

  /**
   * What `find` throws is an error, and what it does not answer in time is one as well.
   * @param find told by the signal that its time is over
   */
  async run(name: string, find: (signal: AbortSignal) => Promise<Found> | Found): Promise<void> {
    const over = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Found>((resolve) => {
      timer = setTimeout(() => {
        over.abort();
        resolve({
          state: 'error',
          detail: `It did not end within ${this.limitMs / 1000} s.`,
          advice: 'Look whether the server is there and not overloaded; --time-limit gives it longer.',
        });
      }, this.limitMs);
    });
    try {
      this.findings.push({ name, ...(await Promise.race([asked(find, over.signal), late])) });
    } finally {
      clearTimeout(timer);
    }
  }
}

async function asked(
  find: (signal: AbortSignal) => Promise<Found> | Found,
  signal: AbortSignal,
): Promise<Found> {
  try {
    return await find(signal);
  } catch (error) {
    return { state: 'error', detail: error instanceof Error ? error.message : String(error) };
  }
}

/** 0: all is well; 1: something should be looked at; 2: something does not work. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  if (findings.some(({ state }) => state === 'error')) return 2;
  return findings.some(({ state }) => state === 'warning') ? 1 : 0;
}

const MARKS = { ok: '✓', warning: '!', error: '✗', skipped: '-' } as const;

export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings
    .flatMap(({ name, state, detail, advice }) => [
      `${MARKS[state]} ${name.padEnd(width)} ${detail}`,
      ...(advice === undefined ? [] : [`${' '.repeat(width + 3)}→ ${advice}`]),
    ])
    .map((line) => `${line}\n`)
    .join('');
}
