import { claimProject, type Database } from '@lineprint/persistence';
import { shaOf } from './seed';
import { seedHead, seedHeadLines, seedLives, type SeededHeadLines, type SeededLife } from './seed-ledger';

/** The same numbers for the same seed: `draw(n)` is a whole number from 0 to n - 1. */
export function seededDraws(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const PATHS = [
  'README.md',
  'src/a.ts',
  'src/Z.ts',
  'src/ui/ä.ts',
  'src/ui/deep/b.ts',
  'srcs/c.py',
  'src_/d.py',
];
const PEOPLE = ['ada@acme.dev', 'bob@acme.dev', 'eve@acme.dev'];
const SOURCES = ['tab', 'chat', 'agent', null];
const MODELS = ['m-1', 'm-2', null];
const DAY_MS = 86_400_000;
/** The clock of the ledgers. */
export const LEDGER_AT = Date.parse('2026-06-15T09:30:00Z');

/** Two repositories of `acme` with a counted branch beside the default one, and one of `rival`; lines drawn at random. */
export async function seedRandomLedger(database: Database, seed: number): Promise<void> {
  const draw = seededDraws(seed);
  const of = <T>(values: readonly T[]): T => values[draw(values.length)]!;
  const branches = [
    { org: 'acme', repository: 'acme/shop', ref: 'refs/heads/main', project: 'shop', isDefault: true },
    { org: 'acme', repository: 'acme/shop', ref: 'refs/heads/next', project: 'shop', isDefault: false },
    { org: 'acme', repository: 'acme/docs', ref: 'refs/heads/trunk', project: 'docs', isDefault: true },
    { org: 'rival', repository: 'acme/shop', ref: 'refs/heads/main', project: 'spy', isDefault: true },
  ];
  for (const [i, branch] of branches.entries()) {
    await claimProject(database, branch.org, branch.project);
    const at = LEDGER_AT - i * 3 * DAY_MS;
    await seedHead(database, { ...branch, sha: shaOf(`a${i}`), at: new Date(at).toISOString() });
    const rows: SeededHeadLines[] = [];
    const lives: SeededLife[] = [];
    for (const policy of [undefined, 'strict']) {
      for (const path of PATHS) {
        for (let ordinal = 0; ordinal < draw(6); ordinal++) {
          const kind = of(['P', 'M', 'H', 'U'] as const);
          const isAi = kind === 'P' || kind === 'M';
          rows.push({
            ...branch,
            ...(policy === undefined ? {} : { policy }),
            path,
            ordinal,
            language: path.endsWith('.py') ? 'python' : 'typescript',
            kind,
            source: isAi ? of(SOURCES) : null,
            model: isAi ? of(MODELS) : null,
            user: of(PEOPLE),
            lines: 1 + draw(40),
          });
        }
      }
      for (let n = 0; n < 60; n++) {
        const kind = of(['P', 'M', 'H'] as const);
        const bornAt = at - draw(120 * 24) * (DAY_MS / 24);
        const diedAt = bornAt + draw(Math.floor((at - bornAt) / 1000) + 1) * 1000;
        lives.push({
          ...branch,
          ...(policy === undefined ? {} : { policy }),
          kind,
          source: kind === 'H' ? null : of(SOURCES),
          model: kind === 'H' ? null : of(MODELS),
          user: of(PEOPLE),
          bornAt: new Date(bornAt).toISOString(),
          diedAt: draw(2) === 0 ? new Date(diedAt).toISOString() : null,
          lines: 1 + draw(30),
        });
      }
    }
    await seedHeadLines(database, rows);
    await seedLives(database, lives);
  }
}
