import { confidences, type Source, sources } from '@lineprint/contracts';
import type { Database } from '@lineprint/persistence';
import { seedCommit, seedDaily, type SeededResult, seedSession, shaOf } from './seed';

/** Numbers from 0 to below 1 that follow from the seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const PEOPLE = ['ada@acme.dev', 'bob@acme.dev', 'cy@acme.dev'] as const;
export const PROJECTS = ['shop', 'tools'] as const;
export const REPOSITORIES = ['acme/shop', 'acme/tools'] as const;
export const LANGUAGES = ['typescript', 'python', 'go'] as const;
export const MODELS = ['m-1', 'm-2'] as const;
/** The days of the rows: a change of year, and both changes of the clocks of Berlin. */
export const DAYS = [
  '2025-12-28',
  '2025-12-31',
  '2026-01-01',
  '2026-01-04',
  '2026-01-05',
  '2026-03-29',
  '2026-10-25',
];

/** Fills an organisation with commits and sessions in which everything is mixed with everything, and sums their days. */
export async function seedRandomRows(database: Database, seed: number, commits = 60): Promise<void> {
  const random = seededRandom(seed);
  const below = (end: number) => Math.floor(random() * end);
  const pick = <T>(from: readonly T[]) => from[below(from.length)]!;
  const result = (): SeededResult => {
    if (random() < 0.35) {
      const human = below(9);
      return { human };
    }
    const source: Source = pick(sources);
    const confidence = pick(confidences.filter((name) => name !== 'UNIQUE'));
    const shared = {
      source,
      confidence,
      codeId: `code-${below(40)}`,
      evidence: pick(['matched', 'declared', 'estimated'] as const),
      ...(random() < 0.5 && { model: pick(MODELS) }),
      ...(random() < 0.5 && { similarity: Math.round(random() * 1000) / 1000 }),
    };
    if (confidence !== 'SUSPECT') return { ...shared, preserved: below(9), modified: below(5) };
    const suspect = 1 + below(5);
    return { ...shared, human: suspect, suspect };
  };
  for (let n = 0; n < commits; n++) {
    const paths = ['a', 'b', 'c', 'd', 'e'].filter(() => random() < 0.4);
    await seedCommit(database, {
      sha: shaOf((n + 1).toString(16).padStart(2, '0')),
      day: pick(DAYS),
      user: pick(PEOPLE),
      project: pick(PROJECTS),
      repository: pick(REPOSITORIES),
      counted: random() < 0.8,
      files: [
        ...paths.map((path) => ({
          path,
          language: pick(LANGUAGES),
          results: Array.from({ length: 1 + below(4) }, result),
        })),
        ...(random() < 0.3
          ? [{ path: 'x.lock', excluded: pick(['lock', 'generated']), added: below(90) }]
          : []),
      ],
    });
  }
  for (let n = 0; n < commits / 3; n++) {
    await seedSession(database, {
      id: `s${n}`,
      day: pick(DAYS),
      user: pick(PEOPLE),
      project: pick(PROJECTS),
      shown: below(50),
      accepted: below(50),
      chatEdits: below(9),
      agentTasks: below(4),
      ...(random() < 0.5 && { survival: { checks: below(9), similarity: Math.round(random() * 1e6) / 1e6 } }),
    });
  }
  await seedDaily(database);
}
