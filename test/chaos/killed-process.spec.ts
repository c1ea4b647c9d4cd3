import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadLetterTopic, projectKey, TOPICS } from '@lineprint/contracts';
import { type EventLog, openEventLog } from '@lineprint/event-log';
import { type Database, openDatabase } from '@lineprint/persistence';
import { RepeatedBackfill } from '../repeated-backfill';
import { type RunningStack, type ServiceName, startStack } from '../stack';
import { armFailpoint, failpointEnvironment, until } from './failpoint';
import { everythingIsRead, positions, storedTables } from './stored-state';

const COMMITS = 60;

/** What passes by rarely, so that the first time has to do. */
const RARE = ['dead letters'];

/**
 * Where each service can be killed; every run takes one of each list. Before the effect, after it and before its offset
 * is committed, while dead letters are written, and anywhere between two stores.
 */
const POINTS: Partial<Record<ServiceName, readonly (readonly string[])[]>> = {
  ingest: [
    ['append, before'],
    ['append, half'],
    ['append, after'],
    ['append, before', 'append, half', 'append, after'],
  ],
  indexer: [
    ['batch, before', 'transaction, before'],
    ['batch, after', 'progress, after'],
    ['dead letters, before', 'dead letters, after'],
    ['transaction, inside', 'transaction, after', 'index, before', 'index, after', 'progress, before'],
  ],
  'commit-analyzer': [
    ['batch, before', 'append, before'],
    ['batch, after', 'append, after'],
    ['dead letters, before', 'dead letters, after'],
    ['append, half', 'transaction, inside', 'transaction, after'],
  ],
  'line-attributor': [
    ['batch, before', 'transaction, before'],
    ['batch, after', 'append, after'],
    ['dead letters, before', 'dead letters, after'],
    ['append, before', 'append, half', 'transaction, inside', 'transaction, after'],
  ],
  rollup: [
    ['batch, before', 'transaction, before'],
    ['batch, after', 'transaction, after'],
    ['dead letters, before', 'dead letters, after'],
    ['transaction, inside'],
  ],
};

interface Kill {
  readonly service: ServiceName;
  readonly point: string;
  readonly passage: number;
}

const seed = Number(process.env['LINEPRINT_TEST_SEED'] || Math.floor(Math.random() * 1e9));
const rounds = drawRounds(seededRandom(seed));

/** 20 kills in rounds: in each every service is killed once, at a point that the seed decides. */
function drawRounds(random: () => number): Kill[][] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const drawn = Object.entries(POINTS).map(([service, choices]) =>
    shuffled(choices, random).map((points): Kill => {
      const point = pick(points);
      const passage = RARE.some((name) => point.startsWith(name)) ? 1 : pick([1, 2]);
      return { service: service as ServiceName, point, passage };
    }),
  );
  return drawn[0]!.map((_, round) => drawn.map((kills) => kills[round]!));
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function seededRandom(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Every service is killed (-9) at points where it can lose or double something, and started again.
 * LINEPRINT_TEST_SEED repeats a run.
 */
describe(`kill -9 at 20 points (LINEPRINT_TEST_SEED=${seed})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-failpoints-'));
  const poison: string[] = [];
  let stack: RunningStack;
  let database: Database;
  let log: EventLog;
  let backfill: RepeatedBackfill;
  let undisturbed: Record<string, string[]>;

  beforeAll(async () => {
    process.stdout.write(`Repeat these kills with LINEPRINT_TEST_SEED=${seed}\n`);
    const name = `kill_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    stack = await startStack({
      database: name,
      ownKafka: true,
      env: { LINEPRINT_ORG_ID: name, ...failpointEnvironment(folder) },
    });
    database = await openDatabase(stack.databaseUrl, { maxConnections: 2 });
    log = await openEventLog(stack.kafkaUrl, { database, clientId: 'lineprint-test' });
    backfill = await RepeatedBackfill.prepare(stack, database, COMMITS);
    await until(() => everythingIsRead(log, database));
    undisturbed = await storedTables(database, backfill.undisturbed.orgId);
  }, 240_000);
  afterAll(async () => {
    await log?.close();
    await database?.close();
    await stack?.stop();
    await backfill?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** Values that no version can read, among the records of an organisation. */
  async function appendPoison(orgId: string, value: string): Promise<void> {
    const topics = [TOPICS.snippets, TOPICS.commits, TOPICS.candidates, TOPICS.attributions];
    const sent = await log.append(
      topics.map((topic) => ({
        topic,
        key: projectKey(orgId, 'history'),
        value: Buffer.from(value),
        headers: {},
      })),
    );
    poison.push(...sent.map(({ partition, offset }, i) => `${topics[i]} ${partition} ${offset}`));
  }

  /** Kills, and starts again what was killed; answers whether all of them have struck. */
  function killAll(kills: readonly Kill[]) {
    const running = kills.map(({ service, point, passage }) => {
      const struck = armFailpoint(folder, stack.services[service].pid, { point, passage, signal: 'SIGKILL' });
      return { struck, restarted: until(struck).then(() => stack.restart(service)) };
    });
    return {
      haveStruck: () => running.every(({ struck }) => struck()),
      restarted: Promise.all(running.map(({ restarted }) => restarted)),
    };
  }

  it.each(rounds.map((kills) => [kills.map(describeKill).join('; '), kills] as const))(
    '(%s) loses nothing and doubles nothing: all is as if nothing had happened',
    async (_names, kills) => {
      const round = killAll(kills);
      const runs: { orgId: string; exported: string }[] = [];
      // Of batches that the log makes as it likes one run may have too few.
      do {
        runs.push(
          await backfill.send(async (orgId) => {
            await appendPoison(orgId, 'not JSON');
            await appendPoison(orgId, '{}');
            // It has nothing to lose: whoever asks it meanwhile asks again.
            stack.kill('query-api');
            await stack.restart('query-api');
          }),
        );
      } while (!round.haveStruck());
      await round.restarted;
      await until(() => everythingIsRead(log, database));
      for (const { orgId, exported } of runs) {
        expect(exported).toBe(backfill.undisturbed.exported);
        const stored = await storedTables(database, orgId);
        expect(stored['ai_code_fingerprints']).toHaveLength(backfill.undisturbed.fingerprints);
        expect(stored['commit_verdicts']).toHaveLength(COMMITS);
        expect(stored).toEqual(undisturbed);
        for (const table of ['judged_commits', 'repository_line_changes'] as const) {
          const inOrder = Array.from({ length: COMMITS }, (_, i) => i + 1);
          expect(await positions(database, table, orgId)).toEqual(inOrder);
        }
      }
    },
    120_000,
  );

  it('leaves every bad record, and nothing else, in its dead-letter topic', async () => {
    const letters: string[] = [];
    for (const topic of Object.values(TOPICS)) {
      const name = deadLetterTopic(topic);
      const ends = await log.endOffsets(name);
      const ranges = ends.map((to, partition) => ({ partition, from: 0, to }));
      for await (const { headers } of log.read(name, ranges)) {
        letters.push(`${headers['lp_dlq_topic']} ${headers['lp_dlq_partition']} ${headers['lp_dlq_offset']}`);
      }
    }
    // A letter that was written just before a kill is written again: it has its place in the log to be known by.
    expect([...new Set(letters)].sort()).toEqual([...poison].sort());
  });
});

function describeKill({ service, point, passage }: Kill): string {
  return `${service}: ${point}${passage > 1 ? ` for the ${passage}nd time` : ''}`;
}
