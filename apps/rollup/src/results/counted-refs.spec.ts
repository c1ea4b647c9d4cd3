import {
  type AttributedFile,
  type AttributionEvent,
  DEFAULT_POLICY,
  type RefsEvent,
  TOPICS,
} from '@lineprint/contracts';
import { createPolicy, createReplay, type Database } from '@lineprint/persistence';
import { attributionRows, checkTable, settleRefs, SUMMED_TABLES, writeVerdicts } from '@lineprint/results';
import { below, pick, type Random, seededRandom } from '../testing/random-verdicts';
import { allRows, batchOf, emptyTables, openRollupDatabase, rowsOf } from '../testing/stored-tables';
import { AttributionConsumer } from './attribution.consumer';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

let database: Database;
let consumer: AttributionConsumer;
beforeAll(async () => {
  database = await openRollupDatabase();
  await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'copy' });
  consumer = new AttributionConsumer(database);
});
beforeEach(async () => {
  await emptyTables(database);
  await createReplay(database, { orgId: 'acme', policyId: 'copy', topic: 'candidates' });
});
afterAll(() => database.close());

type Event = AttributionEvent | RefsEvent;

async function consume(events: readonly Event[], firstOffset = 0): Promise<void> {
  await consumer.consume(batchOf(TOPICS.attributions, events, firstOffset));
  await settleRefs(database);
}

const shaOf = (n: number | string) => String(n).padStart(40, '0');
const NOON = Date.UTC(2026, 2, 7, 12);
const HOUR_MS = 3_600_000;

/** A line of a commit's file: kept, changed or human; or one of another commit. */
type Line = 'P' | 'M' | 'H' | { readonly of: string; readonly line: number };

interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly at: number;
  readonly lines: readonly Line[];
}

const KINDS = ['P', 'M', 'H'] as const;
const COUNT_OF = { P: 'preserved', M: 'modified', H: 'human' } as const;

function verdictOf({ sha, parents, at, lines }: Commit, policy = 'default'): AttributionEvent {
  const own = KINDS.filter((kind) => lines.includes(kind));
  const results = own.map((kind) => ({
    ...(kind === 'H'
      ? ({ codeId: null, source: null, evidence: 'none', confidence: 'UNIQUE' } as const)
      : ({ codeId: `code-${kind}`, source: 'agent', evidence: 'estimated', confidence: 'LOW' } as const)),
    ...{ similarity: null, bits: 0, preserved: 0, modified: 0, human: 0, suspect: 0 },
    [COUNT_OF[kind]]: lines.filter((line) => line === kind).length,
  }));
  const file: AttributedFile = {
    ...{ path: 'a.ts', status: 'modified', language: 'typescript', deletedLines: 0, blankLines: 0 },
    addedLines: lines.length,
    inheritedLines: lines.filter((line) => typeof line !== 'string').length,
    inherited: lines.flatMap((line, start) =>
      typeof line === 'string'
        ? []
        : [{ start, count: 1, how: 'copied' as const, fromCommit: line.of, fromLine: line.line }],
    ),
    results,
    lines: lines.flatMap((line, start) =>
      typeof line === 'string' ? [{ start, count: 1, kind: line, result: own.indexOf(line) }] : [],
    ),
    explanations: '',
  };
  return {
    policy,
    commit: {
      ...{ tenant: 'acme', projectId: 'shop', repository: 'shop', sha, parents: [...parents] },
      ...{ authorName: 'Ada', authorEmail: 'ada@example.org', userId: 'ada@example.org' },
      ...{ authoredAt: at, committedAt: at, late: false },
    },
    files: [file],
  };
}

const refsOf = (refs: Record<string, string | null>, complete = false): RefsEvent => ({
  ...{ tenant: 'acme', repository: 'shop', complete },
  refs: Object.entries(refs).map(([name, sha]) => ({
    ...{ ref: `refs/heads/${name}`, sha, isDefault: name === 'main', counts: name !== 'main' },
  })),
});

/** What counts of a history, by the definition: everything is looked at anew. */
class Model {
  private readonly commits = new Map<string, Commit>();
  private readonly told = new Map<string, string[]>();
  private decided = false;

  take(event: Commit | RefsEvent): void {
    if ('sha' in event) this.commits.set(event.sha, event);
    else {
      for (const name of this.told.keys()) {
        const isTold = event.refs.some(({ ref }) => ref === name);
        if (event.complete && !isTold && !name.endsWith('/main')) this.told.delete(name);
      }
      for (const { ref, sha } of event.refs) {
        if (sha !== null) this.told.set(ref, [...(this.told.get(ref) ?? []), sha]);
        else if (!ref.endsWith('/main')) this.told.delete(ref);
      }
      this.decided ||= event.complete && this.tips().length > 0;
    }
    this.decided ||= this.tip('refs/heads/main') !== undefined;
  }

  private tip(ref: string): string | undefined {
    return this.told.get(ref)?.findLast((sha) => this.commits.has(sha));
  }

  private tips(): string[] {
    return [...this.told.keys()].flatMap((ref) => this.tip(ref) ?? []);
  }

  counted(): Set<string> {
    const all = [...this.commits.values()];
    if (!this.decided) return new Set(all.map(({ sha }) => sha));
    const reached = new Set<string>();
    const reach = (sha: string): void => {
      const commit = this.commits.get(sha);
      if (!commit || reached.has(sha)) return;
      reached.add(sha);
      commit.parents.forEach(reach);
    };
    this.tips().forEach(reach);
    const cut = all.filter(
      ({ sha, parents }) => reached.has(sha) && parents.some((one) => !this.commits.has(one)),
    );
    const horizon = Math.max(...cut.map(({ at }) => at), -Infinity);
    return new Set(all.filter(({ sha, at }) => reached.has(sha) || at <= horizon).map(({ sha }) => sha));
  }

  /** Lines that count, as `sha kind`. */
  lines(): string[] {
    const counted = this.counted();
    const oldestFirst = [...this.commits.values()].sort((a, b) => a.at - b.at || (a.sha < b.sha ? -1 : 1));
    const taken = new Set<string>();
    return oldestFirst
      .filter(({ sha }) => counted.has(sha))
      .flatMap(({ sha, lines }) =>
        lines.flatMap((line) => {
          if (typeof line === 'string') return [`${sha} ${line}`];
          const original = this.commits.get(line.of);
          const key = `${line.of} ${line.line}`;
          if (!original || counted.has(line.of) || taken.has(key)) return [];
          taken.add(key);
          return [`${sha} ${original.lines[line.line] as string}`];
        }),
      )
      .sort();
  }
}

/** Branches, merges, force pushes, deletions; some commits come late or never. */
function randomHistory(random: Random): (Commit | RefsEvent)[] {
  const commits: Commit[] = [];
  const events: (Commit | RefsEvent)[] = [];
  const heldBack: Commit[] = [];
  const anyCommit = () => pick(random, commits).sha;
  for (let step = 0; step < 50; step++) {
    const what = random();
    if (what < 0.6 || commits.length === 0) {
      const parents = commits.length === 0 || random() < 0.05 ? [] : [anyCommit()];
      if (parents.length > 0 && random() < 0.2) parents.push(anyCommit());
      if (random() < 0.04) parents.push(shaOf('dead'));
      const lines = Array.from({ length: below(random, 4) }, (): Line => {
        const of = commits.length > 0 && random() < 0.4 ? pick(random, commits) : undefined;
        const line = of?.lines.findIndex((one) => typeof one === 'string') ?? -1;
        return of && line >= 0 ? { of: of.sha, line } : pick(random, KINDS);
      });
      // Clocks differ by more than an hour.
      const at = NOON + (commits.length + below(random, 3)) * HOUR_MS;
      const commit = { sha: shaOf(commits.length), parents: [...new Set(parents)], at, lines };
      commits.push(commit);
      const isLate = random() < 0.1;
      if (isLate) heldBack.push(commit);
      else events.push(commit);
    } else if (what < 0.67 && heldBack.length > 0) {
      events.push(heldBack.splice(below(random, heldBack.length), 1)[0]!);
    } else {
      // Only who asked the host knows that a ref went back; the others tell what was made last.
      const complete = random() < 0.4;
      const next = () => (complete && random() < 0.6 ? anyCommit() : commits.at(-1)!.sha);
      const refs: Record<string, string | null> = {};
      if (complete || random() < 0.6) refs['main'] = next();
      if (random() < 0.3) refs['release/1'] = random() < 0.3 ? null : next();
      if (random() < 0.2) refs['release/2'] = random() < 0.3 ? null : next();
      events.push(refsOf(refs, complete));
    }
  }
  return events;
}

const eventOf = (event: Commit | RefsEvent): Event => ('sha' in event ? verdictOf(event) : event);

/** `sha kind` of each line that is summed under a policy. */
async function countedLines(policy = 'default'): Promise<string[]> {
  const rows = await rowsOf(database, 'ai_attribution_results');
  return rows
    .filter((row) => row['policy_id'] === policy && row['counted'] === true)
    .flatMap((row) =>
      KINDS.flatMap((kind) => {
        const column = { P: 'ai_preserved_lines', M: 'ai_modified_lines', H: 'human_new_lines' }[kind];
        return Array.from({ length: Number(row[column]) }, () => `${String(row['commit_sha'])} ${kind}`);
      }),
    )
    .sort();
}

/** Days that are not the sum of the results that count. */
async function wrongDays(): Promise<unknown[]> {
  return database.query(
    `SELECT * FROM (
       SELECT policy_id, day, SUM(total_lines) AS lines, SUM(ai_preserved_lines) AS kept, SUM(ai_modified_lines) AS changed,
              COUNT(DISTINCT commit_sha) AS commits
         FROM ai_attribution_results WHERE counted GROUP BY 1, 2
     ) r FULL JOIN (
       SELECT policy_id, date AS day, total_lines AS lines, ai_preserved_lines AS kept, ai_modified_lines AS changed,
              total_commits AS commits
         FROM ai_attribution_daily
     ) d USING (policy_id, day, lines, kept, changed, commits)
     WHERE r IS NULL OR d IS NULL`,
  );
}

async function countedShas(): Promise<string[]> {
  const rows = await rowsOf(database, 'commits');
  return rows.flatMap((row) => (row['counted'] ? [String(row['sha'])] : [])).sort();
}

/** Tables that are not what results say. */
async function differingSums(policyId: string): Promise<string[]> {
  const days = { orgId: 'acme', policyId, first: '2026-03-01', last: '2026-04-01' };
  const differing: string[] = [];
  for (const table of SUMMED_TABLES) {
    const { differences } = await checkTable(database, table, days);
    if (differences > 0) differing.push(table);
  }
  return differing;
}

describe.each(Array.from({ length: 6 }, (_, i) => i + 1))('a random history with refs, seed %i', (seed) => {
  it('counts at every moment what the definition says, and days are the sum of it', async () => {
    const model = new Model();
    for (const [i, event] of randomHistory(seededRandom(seed)).entries()) {
      model.take(event);
      await consume([eventOf(event)], i);
      expect(await countedShas()).toEqual([...model.counted()].sort());
      expect(await countedLines()).toEqual(model.lines());
      expect(await wrongDays()).toEqual([]);
    }
    expect(await differingSums('default')).toEqual([]);
  });

  it('leaves the same tables however it is cut into batches, and though batches come again', async () => {
    const events = randomHistory(seededRandom(seed)).map(eventOf);
    for (const [i, event] of events.entries()) await consume([event], i);
    const once = await allRows(database);
    await emptyTables(database);
    const random = seededRandom(seed + 1000);
    for (let at = 0; at < events.length;) {
      const size = 1 + below(random, 9);
      await consume(events.slice(at, at + size), at);
      if (random() < 0.3) await consume(events.slice(at, at + size), at);
      at += size;
    }
    expect(await allRows(database)).toEqual(once);
  });

  it('counts the same under a policy that is replayed when the refs are what they are', async () => {
    const history = randomHistory(seededRandom(seed));
    for (const [i, event] of history.entries()) await consume([eventOf(event)], i);
    const commits = history.flatMap((event) => ('sha' in event ? [event] : []));
    for (let at = 0; at < commits.length; at += 7) {
      await database.transaction((tx) =>
        writeVerdicts(
          tx,
          commits
            .slice(at, at + 7)
            .map((commit) =>
              attributionRows(verdictOf(commit, 'copy'), { timeZone: 'UTC', dayBy: 'author' }),
            ),
        ),
      );
    }
    expect(await countedLines('copy')).toEqual(await countedLines());
    expect(await wrongDays()).toEqual([]);
    expect(await differingSums('copy')).toEqual([]);
  });
});
