import type { Database } from '@lineprint/persistence';
import { seedCommit, seedDaily, seedSession, shaOf, type SeededCommit } from './seed';

/** Names that locales sort otherwise than bytes, and numbers that drivers may print in several ways. */
const commits: readonly SeededCommit[] = [
  {
    sha: shaOf('0b'),
    day: '2026-05-01',
    files: [
      {
        path: 'src/ähnlich.ts',
        results: [
          { source: 'tab', codeId: 's1', similarity: 0.1, bits: 43.210001, preserved: 1, modified: 1 },
          { human: 2 },
        ],
        lines: [
          { start: 10, count: 2, kind: 'H', result: 1 },
          { start: 3, count: 2, kind: 'P', result: 0 },
        ],
      },
      {
        path: 'src/Zebra.ts',
        results: [{ source: 'chat', similarity: 1, bits: 1e-5, preserved: 3 }],
        inherited: [
          { start: 40, count: 2, how: 'whitespace', fromLine: 44 },
          { start: 50, count: 3, how: 'moved', fromFile: 'src/Okapi.ts', fromLine: 7 },
          { start: 60, count: 1, how: 'copied', fromCommit: shaOf('9f') },
        ],
      },
      { path: 'src/_a.ts', results: [{ source: 'agent', bits: 123456.789, modified: 3 }] },
      { path: 'src/a b.ts', excluded: 'generated', added: 3 },
    ],
  },
  {
    sha: shaOf('9f'),
    day: '2026-05-02',
    user: 'Zoe@acme.dev',
    files: [{ path: 'b', results: [{ human: 1 }] }],
  },
  { sha: shaOf('aa'), day: '2026-05-02', authoredAt: new Date(1777711111123) },
  { sha: shaOf('01'), day: '2026-05-02', repository: 'Acme/zoo', project: 'Zoo', files: [] },
  {
    sha: shaOf('02'),
    day: '2026-05-02',
    repository: 'acme-tools',
    project: 'tools',
    files: [{ path: 'c', results: [{ source: 'tab', modified: 1 }] }],
  },
];

/** Writes one input, in the order given or in the opposite one, which changes ids and times of processing. */
export async function seedExport(database: Database, order: 'forwards' | 'backwards'): Promise<void> {
  for (const commit of order === 'forwards' ? commits : [...commits].reverse()) {
    await seedCommit(database, commit);
  }
  await seedSession(database, { id: 's1', day: '2026-05-02', shown: 3, accepted: 1 });
  await seedDaily(database);
}
