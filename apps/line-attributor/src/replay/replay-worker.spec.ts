import {
  type AttributionEvent,
  attributionEventSchema,
  type CandidatesEvent,
  DEFAULT_POLICY,
  deadLetterTopic,
  replayGroup,
  repositoryKey,
  TOPICS,
  topicSpecs,
} from '@lineprint/contracts';
import { type EventLog, newEvent, openEventLog, parseJson } from '@lineprint/event-log';
import {
  changeReplay,
  createPolicy,
  createReplay,
  type Database,
  ensureFirstPolicy,
  ensureTenant,
  findReplay,
  insertSnippets,
  MIGRATIONS_DIRECTORY,
  migrate,
  type NewReplay,
  openDatabase,
} from '@lineprint/persistence';
import { createLogger, HealthRegistry } from '@lineprint/platform';
import { attributionRows, writeVerdicts } from '@lineprint/results';
import { CandidatesConsumer } from '../attribution/candidates.consumer';
import { acceptedAt, type AddedCode, commitOf, storedSnippet } from '../attribution/candidates.fixture';
import { JudgeCaches } from '../attribution/judge-caches';
import { ReplayWorker } from './replay-worker';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

const PARTITIONS = 2;
let database: Database;
let log: EventLog;
let workers: ReplayWorker[];

beforeEach(async () => {
  database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
  for (const orgId of ['acme', 'rival']) {
    await ensureTenant(database, { orgId, name: orgId });
    await ensureFirstPolicy(database, orgId, DEFAULT_POLICY);
  }
  for (const id of ['copy', 'second']) await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id });
  await insertSnippets(database, [storedSnippet('acme', 'one'), storedSnippet('acme', 'two')]);
  log = await openEventLog('embedded:', { database, clientId: 'test' });
  await log.ensureTopics(topicSpecs(PARTITIONS));
  workers = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.beforeApplicationShutdown()));
  await log.close();
  await database.close();
});

/** A commit that adds the code and has both snippets as candidates. */
const candidatesOf = (sha: string, commit: AddedCode = {}): CandidatesEvent =>
  commitOf(sha.padStart(40, '0'), ['one', 'two'], {
    ...commit,
    parents: commit.parents?.map((parent) => parent.padStart(40, '0')) ?? [],
  });

const recordOf = (value: CandidatesEvent) =>
  newEvent({
    topic: TOPICS.candidates,
    key: repositoryKey(value.commit.tenant, value.commit.repository),
    tenant: value.commit.tenant,
    source: 'commit-analyzer',
    value,
  });
const append = (...events: CandidatesEvent[]) => log.append(events.map(recordOf));

/** Judges live all that is in the log, as line-attributor and rollup do. */
async function judgeLive(): Promise<void> {
  const consumer = new CandidatesConsumer(database, log, new JudgeCaches(database));
  const ends = await log.endOffsets(TOPICS.candidates);
  for (const [partition, to] of ends.entries()) {
    const records = [];
    for await (const record of log.read(TOPICS.candidates, [{ partition, from: 0, to }]))
      records.push(record);
    if (records.length === 0) continue;
    await consumer.consume({
      topic: TOPICS.candidates,
      partition,
      records,
      signal: new AbortController().signal,
    });
  }
  const attributed: AttributionEvent[] = [];
  const verdictEnds = await log.endOffsets(TOPICS.attributions);
  const ranges = verdictEnds.map((to, partition) => ({ partition, from: 0, to }));
  for await (const record of log.read(TOPICS.attributions, ranges)) {
    attributed.push(parseJson(record, attributionEventSchema));
  }
  const rows = attributed.map((event) => attributionRows(event, { timeZone: 'UTC', dayBy: 'author' }));
  await database.transaction((tx) => writeVerdicts(tx, rows));
}

function startWorker(): ReplayWorker {
  const worker = new ReplayWorker(
    database,
    log,
    createLogger('test', 'silent'),
    new HealthRegistry(),
    new JudgeCaches(database),
  );
  workers.push(worker);
  worker.onApplicationBootstrap();
  return worker;
}
const start = (wanted: Partial<NewReplay> = {}) =>
  createReplay(database, { orgId: 'acme', policyId: 'copy', topic: 'candidates', ...wanted });
const progressOf = async (id: string) => (await findReplay(database, 'acme', id))!;

async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 50));
}
const untilStatus = (id: string, status: string) =>
  until(async () => (await progressOf(id)).replay.status === status);

const TABLES = [
  'commit_verdicts',
  'commit_files',
  'ai_attribution_results',
  'ai_attribution_daily',
  'judged_commits',
];
/** All that is kept under a policy, in a fixed order, without what tells when it was written. */
async function kept(policyId: string): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    const rows = await database.query<{ row: unknown }>(
      `SELECT to_jsonb(t) - 'id' - 'analyzed_at' - 'judged_at' - 'policy_id' AS row FROM ${table} t
       WHERE org_id = 'acme' AND policy_id = $1 ORDER BY 1`,
      [policyId],
    );
    tables[table] = rows.map(({ row }) => row);
  }
  return tables;
}
const judgedShas = async (policyId: string) =>
  (await kept(policyId))['commit_verdicts']!.map((row) => (row as { commit_sha: string }).commit_sha.at(-1));

const history = () => [
  candidatesOf('a'),
  candidatesOf('b', { parents: ['a'] }),
  candidatesOf('c', { repository: 'website', at: acceptedAt + 86_400_000 }),
  candidatesOf('d', { tenant: 'rival' }),
  candidatesOf('e', { parents: ['b'], at: acceptedAt + 2 * 86_400_000 }),
];

describe('a replay of candidates', () => {
  it('leaves under a copy of the policy what live has left, and follows what comes', async () => {
    await append(...history());
    await judgeLive();
    const replay = await start();
    startWorker();
    await untilStatus(replay.id, 'following');
    const live = await kept('default');
    expect(live['ai_attribution_results']!.length).toBeGreaterThan(3);
    expect(await kept('copy')).toEqual(live);
    expect((await progressOf(replay.id)).partitions.map(({ judged }) => judged).sort()).toEqual([0, 4]);

    await append(candidatesOf('f', { parents: ['e'] }));
    await until(async () => (await judgedShas('copy')).length === 5);
    await judgeLive();
    expect(await kept('copy')).toEqual(await kept('default'));
  });

  it('leaves the same when it is run again under another copy, or again over what it has left', async () => {
    await append(...history());
    const first = await start();
    startWorker();
    await untilStatus(first.id, 'following');
    const once = await kept('copy');
    const second = await start({ policyId: 'second' });
    await untilStatus(second.id, 'following');
    expect(await kept('second')).toEqual(once);
    await changeReplay(database, 'acme', first.id, 'cancel');
    const again = await start();
    await untilStatus(again.id, 'following');
    expect(await kept('copy')).toEqual(once);
  });

  it('under a stricter policy takes back what is below it, and gives to a descendant what that leaves unused', async () => {
    await append(
      candidatesOf('a', { lines: 3 }),
      candidatesOf('b', { parents: ['a'] }),
      candidatesOf('c', { parents: ['b'] }),
    );
    await judgeLive();
    const ai = async (policyId: string) => {
      const rows = await database.query<{ sha: string; lines: number; bits: number }>(
        `SELECT RIGHT(commit_sha, 1) AS sha, SUM(ai_preserved_lines)::int AS lines, MAX(evidence_bits) AS bits
         FROM ai_attribution_results WHERE policy_id = $1 GROUP BY 1 ORDER BY 1`,
        [policyId],
      );
      return rows;
    };
    const [part, whole] = await ai('default');
    // Of two snippets one gives the part and the other all: too little is left for the third commit.
    expect(part!.bits).toBeLessThan(whole!.bits);
    const between = (part!.bits + whole!.bits) / 2;
    const thresholds = {
      ...DEFAULT_POLICY.thresholds,
      minBits: between,
      minBitsElsewhere: between,
      minBitsUnplaced: between,
      highBits: Math.max(between, DEFAULT_POLICY.thresholds.highBits),
    };
    await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'strict', thresholds });
    const replay = await start({ policyId: 'strict' });
    startWorker();
    await untilStatus(replay.id, 'following');
    const linesOf = async (policyId: string) => (await ai(policyId)).map(({ lines }) => lines);
    expect([await linesOf('default'), await linesOf('strict')]).toEqual([
      [3, 5, 0],
      [0, 5, 5],
    ]);
  });

  it('touches neither the live group nor the topic of verdicts', async () => {
    await append(...history());
    const replay = await start();
    startWorker();
    await untilStatus(replay.id, 'following');
    expect(await log.endOffsets(TOPICS.attributions)).toEqual([0, 0]);
    expect(await log.committed('lineprint.line-attributor', TOPICS.candidates)).toEqual([0, 0]);
    expect(await kept('default')).toEqual(Object.fromEntries(TABLES.map((table) => [table, []])));
  });

  it('of a part judges everything and writes what is inside, then ends', async () => {
    await append(...history());
    const from = new Date(acceptedAt + 86_400_000);
    const replay = await start({ repository: 'shop', from });
    startWorker();
    await untilStatus(replay.id, 'complete');
    expect(await judgedShas('copy')).toEqual(['e']);
    expect((await kept('copy'))['judged_commits']).toHaveLength(4);
    // A full one later starts from the ledger that is there.
    const full = await start();
    await untilStatus(full.id, 'following');
    await judgeLive();
    expect(await kept('copy')).toEqual(await kept('default'));
  });

  it('goes on where it was when the process is another one', async () => {
    await append(...history());
    const replay = await start({ maxRate: 1 });
    const worker = startWorker();
    await until(async () => (await judgedShas('copy')).length > 0);
    await worker.beforeApplicationShutdown();
    const before = (await judgedShas('copy')).length;
    expect(before).toBeLessThan(4);
    await log.deleteGroup(replayGroup(replay.id));
    await database.query('UPDATE replays SET max_rate = NULL');
    startWorker();
    await untilStatus(replay.id, 'following');
    const judged = (await progressOf(replay.id)).partitions.reduce(
      (sum, { judged: count }) => sum + count,
      0,
    );
    expect(judged).toBe(4);
    await judgeLive();
    expect(await kept('copy')).toEqual(await kept('default'));
  });

  it('writes nothing while it is paused, and all once it is resumed', async () => {
    await append(...history());
    const replay = await start({ maxRate: 1 });
    startWorker();
    await until(async () => (await judgedShas('copy')).length > 0);
    await changeReplay(database, 'acme', replay.id, 'pause');
    const paused = await judgedShas('copy');
    await database.query('UPDATE replays SET max_rate = NULL');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await judgedShas('copy')).toEqual(paused);
    await append(candidatesOf('f', { parents: ['e'] }));
    await changeReplay(database, 'acme', replay.id, 'resume');
    await untilStatus(replay.id, 'following');
    expect(await judgedShas('copy')).toEqual(['a', 'b', 'c', 'e', 'f']);
  });

  it('that is cancelled gives back its group, and can be resumed', async () => {
    await append(...history());
    const replay = await start();
    startWorker();
    await untilStatus(replay.id, 'following');
    await changeReplay(database, 'acme', replay.id, 'cancel');
    await until(async () => {
      const [row] = await database.query<{ has_group: boolean }>('SELECT has_group FROM replays');
      return !row!.has_group;
    });
    expect(await log.committed(replayGroup(replay.id), TOPICS.candidates)).toEqual([0, 0]);
    await append(candidatesOf('f'));
    await changeReplay(database, 'acme', replay.id, 'resume');
    await untilStatus(replay.id, 'following');
    expect(await judgedShas('copy')).toEqual(['a', 'b', 'c', 'e', 'f']);
  });

  it('gives up what cannot be judged, and dead-letters nothing', async () => {
    const broken = candidatesOf('b');
    await append(candidatesOf('a'));
    await log.append([
      { ...recordOf(broken), value: Buffer.from('no JSON') },
      recordOf({ ...broken, files: [{ ...broken.files[0]!, linePrints: 'AAAA' }] }),
    ]);
    await append(candidatesOf('c'));
    const replay = await start();
    startWorker();
    await untilStatus(replay.id, 'following');
    expect(await judgedShas('copy')).toEqual(['a', 'c']);
    const { partitions } = await progressOf(replay.id);
    expect(partitions.reduce((sum, { refused }) => sum + refused, 0)).toBe(2);
    expect(await log.endOffsets(deadLetterTopic(TOPICS.candidates))).toEqual([0, 0]);
  });

  it('fails where records have expired that it has not read', async () => {
    await append(...history());
    const replay = await start({ maxRate: 0.001 });
    const worker = startWorker();
    await until(async () => (await progressOf(replay.id)).partitions.length > 0);
    await worker.beforeApplicationShutdown();
    await database.query('DELETE FROM event_log_records WHERE topic = $1', [TOPICS.candidates]);
    startWorker();
    await untilStatus(replay.id, 'failed');
    expect((await progressOf(replay.id)).replay.error?.code).toBe('records-expired');
  });
});
