import { createPolicy, type Database } from '@lineprint/persistence';
import { DEFAULT_POLICY, type LineKind, lineKindSchema, type LineRange, sources } from '@lineprint/contracts';
import type { SummaryAnswer } from '../summary/summary.schema';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, type SeededFile, type SeededResult, shaOf } from '../testing/seed';
import {
  type DiffAnswer,
  diffAnswer,
  type FlippedLinesAnswer,
  flippedLinesAnswer,
  type Origin,
} from './diff.schema';

const DIFF = '/api/v1/policies/default/diff/strict';
const SEED = 20_261_130;
const COMMITS = 40;

let state = SEED;
/** A repeatable whole number below `n` (an LCG: Numerical Recipes' constants). */
function below(n: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
}

/** What `count` lines of a kind may be under some policy. */
function randomResult(kind: LineKind, count: number): SeededResult {
  const source = sources[below(3)]!;
  if (kind !== 'H') {
    const origin = { source, confidence: (['HIGH', 'LOW'] as const)[below(2)]! };
    const evidence = below(3) === 0 ? 'declared' : 'matched';
    return { ...origin, evidence, [kind === 'P' ? 'preserved' : 'modified']: count };
  }
  return below(2) === 0
    ? { human: count }
    : { source, confidence: 'SUSPECT', evidence: 'none', human: count, suspect: count };
}

/** A file of `lines` lines: ranges of any origin, one after the other, or left out. */
function randomFile(path: string, lines: number): SeededFile {
  if (below(12) === 0) return { path, excluded: 'organisation', added: lines };
  const results: SeededResult[] = [];
  const ranges: LineRange[] = [];
  for (let start = 0; start < lines; start += ranges.at(-1)!.count) {
    const kind = lineKindSchema.options[below(3)]!;
    const count = Math.min(1 + below(6), lines - start);
    ranges.push({ start, count, kind, result: results.length });
    results.push(randomResult(kind, count));
  }
  return {
    path,
    results,
    lines: ranges,
    language: path.endsWith('py') ? 'python' : 'typescript',
    added: lines,
  };
}

let database: Database;
let api: RunningApi;

beforeAll(async () => {
  database = await openSeededDatabase();
  await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'strict' });
  for (let i = 0; i < COMMITS; i++) {
    const files = Array.from({ length: below(4) }, (_, n) => ({
      path: `src/${n}.${below(2) === 0 ? 'py' : 'ts'}`,
      lines: 1 + below(20),
    }));
    const about = {
      sha: shaOf(i.toString(16).padStart(4, '0')),
      day: `2026-06-${String(1 + below(28)).padStart(2, '0')}`,
      repository: `acme/${below(3)}`,
      project: ['shop', 'tools'][below(2)]!,
      user: ['ada@acme.dev', 'bob@acme.dev'][below(2)]!,
    };
    const judged = files.map(({ path, lines }) => randomFile(path, lines));
    await seedCommit(database, { ...about, files: judged });
    const differs = below(3) > 0;
    const again = differs ? files.map(({ path, lines }) => randomFile(path, lines)) : judged;
    await seedCommit(database, { ...about, policy: 'strict', files: again });
  }
  await database.query(`INSERT INTO projects (project_id, org_id) VALUES ('tools', 'acme')`);
  api = await runApi(database, { at: '2026-06-30T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const summary = (query: string, key?: string) => api.json<SummaryAnswer>(`/api/v1/summary?${query}`, key);
async function flippedLines(query = ''): Promise<FlippedLinesAnswer['files']> {
  const files: FlippedLinesAnswer['files'] = [];
  for (let next: string | null = ''; next !== null;) {
    const page: FlippedLinesAnswer = await api.json(
      `${DIFF}/lines?limit=7&${query}${next && `&after=${next}`}`,
    );
    expect(flippedLinesAnswer.parse(page)).toEqual(page);
    files.push(...page.files);
    next = page.next;
  }
  return files;
}
const countBy = <T>(items: readonly T[], keyOf: (item: T) => string, countOf: (item: T) => number) => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + countOf(item));
  return counts;
};
const splits = ['byProject', 'byLanguage', 'bySource', 'byPerson', 'byConfidence', 'byEvidence'] as const;

describe('GET /api/v1/policies/{id}/diff/{other}', () => {
  it.each([
    ['', 'organisation'],
    ['repository=acme/1', 'organisation'],
    ['project_id=tools', 'organisation'],
    ['', 'ada'],
  ])('says what the summaries of both say, for "%s" and the key of %s', async (query, key) => {
    const diff = await api.json<DiffAnswer>(`${DIFF}?${query}`, key);
    expect(diffAnswer.parse(diff)).toEqual(diff);
    const before = await summary(`${query}&policy=default`, key);
    const after = await summary(`${query}&policy=strict`, key);
    expect(diff.commits).toEqual({ both: before.commits + before.merges, onlyFrom: 0, onlyTo: 0 });
    expect(diff.lines).toEqual({ from: before.lines, to: after.lines });
    expect([diff.total.from.ratio, diff.total.to.ratio]).toEqual([before.aiRatio, after.aiRatio]);
    for (const split of splits) {
      const side = (of: 'from' | 'to') =>
        Object.fromEntries(
          Object.entries(diff[split]).flatMap(([name, both]) =>
            both[of].lines > 0 ? [[name, both[of]]] : [],
          ),
        );
      const filled = (figures: SummaryAnswer[typeof split]) =>
        Object.fromEntries(Object.entries(figures).filter(([, { lines }]) => lines > 0));
      expect(side('from')).toEqual(filled(before[split]));
      expect(side('to')).toEqual(filled(after[split]));
    }
  });

  it('flips lead from one summary to the other', async () => {
    const { lines, flips, byConfidence } = await api.json<DiffAnswer>(DIFF);
    const change = (is: (origin: Origin) => boolean) =>
      flips.reduce((sum, flip) => sum + flip.lines * (Number(is(flip.to)) - Number(is(flip.from))), 0);
    expect(lines.to.preserved - lines.from.preserved).toBe(change((origin) => origin?.kind === 'P'));
    expect(lines.to.modified - lines.from.modified).toBe(change((origin) => origin?.kind === 'M'));
    expect(lines.to.human - lines.from.human).toBe(change((origin) => origin?.kind === 'H'));
    expect(lines.to.added - lines.from.added).toBe(change((origin) => origin !== null));
    for (const [name, { from, to }] of Object.entries(byConfidence)) {
      expect(to.lines - from.lines).toBe(change((origin) => origin?.confidence === name));
    }
    expect(flips.some(({ from }) => from === null)).toBe(true);
  });

  it('is nothing between a policy and itself', async () => {
    const { flips, total } = await api.json<DiffAnswer>('/api/v1/policies/strict/diff/strict');
    expect(flips).toEqual([]);
    expect(total.from).toEqual(total.to);
  });

  it('compares the commits that both have judged, and says how many others there are', async () => {
    const before = await api.json<DiffAnswer>(DIFF);
    const file = { path: 'only.ts', results: [{ source: 'tab', preserved: 1000 }] } as const;
    await seedCommit(database, { sha: shaOf('f1'), day: '2026-06-01', files: [file] });
    await seedCommit(database, { sha: shaOf('f2'), day: '2026-06-01', policy: 'strict', files: [file] });
    await seedCommit(database, { sha: shaOf('f3'), day: '2026-06-01', policy: 'strict', files: [] });
    expect(await api.json(DIFF)).toEqual({
      ...before,
      commits: { both: COMMITS, onlyFrom: 1, onlyTo: 2 },
    });
  });

  it.each([
    ['/api/v1/policies/missing/diff/strict', 404, 'policy-unknown'],
    ['/api/v1/policies/default/diff/missing', 404, 'policy-unknown'],
    [`${DIFF}?project_id=spy`, 403, 'project-forbidden'],
    [`${DIFF}/lines?limit=0`, 400, 'parameters-invalid'],
    [`${DIFF}/lines?after=x`, 400, 'parameters-invalid'],
  ])('answers %s with %i %s', async (path, status, code) => {
    expect(await api.problem(path)).toMatchObject({ status, code });
  });
});

describe('GET /api/v1/policies/{id}/diff/{other}/lines', () => {
  it('lists every line that flips once, and as many as the diff counts', async () => {
    const { flips } = await api.json<DiffAnswer>(DIFF);
    const files = await flippedLines();
    const places = files.flatMap(({ repository, sha, path, lines }) =>
      lines.flatMap(({ start, count }) =>
        Array.from({ length: count }, (_, i) => `${repository} ${sha} ${path} ${start + i}`),
      ),
    );
    expect(new Set(places).size).toBe(places.length);
    const keyOf = ({ from, to }: { from: Origin; to: Origin }) => JSON.stringify([from, to]);
    const ranges = files.flatMap(({ lines }) => lines);
    expect(countBy(ranges, keyOf, ({ count }) => count)).toEqual(countBy(flips, keyOf, ({ lines }) => lines));
    expect(files.length).toBeGreaterThan(14);
  });

  it('keeps to one repository', async () => {
    const files = await flippedLines('repository=acme/1');
    expect(files.length).toBeGreaterThan(0);
    expect(new Set(files.map(({ repository }) => repository))).toEqual(new Set(['acme/1']));
  });
});
