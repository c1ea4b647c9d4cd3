import { randomUUID } from 'node:crypto';
import { deadLetterTopic, projectKey, TOPICS } from '@lineprint/contracts';
import { enqueue, type LogRecord, type OutgoingRecord } from '@lineprint/event-log';
import { activePolicy, bootstrap, createPolicy, createReplay, listReplays } from '@lineprint/persistence';
import { LINE_KEY } from '../programs';
import type { ServiceName } from '../stack';
import { DisturbedStack } from './disturbed-stack';
import { armFailpoint, until } from './failpoint';
import { positions, storedResults, storedTables } from './stored-state';

const COMMITS = 60;

/** In each round every service is killed once. */
const ROUNDS = 3;

/**
 * Where each service can be killed while it works on what is sent. One of each list is drawn, and as many of all as
 * there are rounds: before the effect, after it and before its offset is committed, while dead letters are written.
 */
const POINTS: Partial<Record<ServiceName, readonly (readonly string[])[]>> = {
  ingest: [['append, before'], ['append, half'], ['append, after']],
  indexer: [
    ['batch, before', 'transaction, before', 'transaction, inside'],
    [
      'transaction, after',
      'index, before',
      'index, after',
      'progress, before',
      'progress, after',
      'batch, after',
    ],
    ['dead letters, before', 'dead letters, after'],
  ],
  'commit-analyzer': [
    ['batch, before', 'transaction, inside', 'append, before'],
    ['transaction, after', 'append, half', 'append, after', 'batch, after'],
    ['dead letters, before', 'dead letters, after'],
  ],
  'line-attributor': [
    ['batch, before', 'transaction, before', 'transaction, inside'],
    ['transaction, after', 'append, before', 'append, half', 'append, after', 'batch, after'],
    ['dead letters, before', 'dead letters, after'],
  ],
  rollup: [
    ['batch, before', 'transaction, before', 'transaction, inside'],
    ['transaction, after', 'batch, after'],
    ['dead letters, before', 'dead letters, after'],
  ],
};
/** Where a process that relays the outbox can be killed, while snippets are relayed or commits. */
const OUTBOX_POINTS = ['outbox, before', 'outbox, after'];
/** Where those can be killed that have commits analysed again for snippets that come late. */
const LATE_POINTS: Partial<Record<ServiceName, readonly string[]>> = {
  indexer: ['transaction, inside', 'transaction, after', 'progress, before', 'batch, after'],
  'commit-analyzer': [
    'append, before',
    'append, half',
    'append, after',
    'transaction, inside',
    'transaction, after',
  ],
};
/** Where a line-attributor that replays can be killed. */
const REPLAY_POINTS = ['batch, before', 'transaction, inside', 'transaction, after', 'batch, after'];
const REPLAYS = 2;

interface Kill {
  readonly service: ServiceName;
  readonly point: string;
  readonly passage: number;
}

const seed = Number(process.env['LINEPRINT_TEST_SEED'] || Math.floor(Math.random() * 1e9));
const random = seededRandom(seed);
const rounds = drawRounds();
const outboxKill = { point: pick(OUTBOX_POINTS), relayed: pick([TOPICS.snippets, TOPICS.commits]) };
const lateKills = Object.entries(LATE_POINTS).map(([service, points]): Kill => ({
  service: service as ServiceName,
  point: pick(points),
  passage: 1,
}));
const replayKills = shuffled(REPLAY_POINTS).slice(0, REPLAYS);

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}

function drawRounds(): Kill[][] {
  const drawn = Object.entries(POINTS).map(([service, choices]) =>
    shuffled(choices).map((points): Kill => {
      const point = pick(points);
      // Two bad records may well be buried in one batch.
      const passage = point.startsWith('dead letters') ? 1 : pick([1, 2]);
      return { service: service as ServiceName, point, passage };
    }),
  );
  return Array.from({ length: ROUNDS }, (_, round) => drawn.map((kills) => kills[round]!));
}

function shuffled<T>(items: readonly T[]): T[] {
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
  const poison: string[] = [];
  let chaos: DisturbedStack;

  beforeAll(async () => {
    process.stdout.write(`Repeat these kills with LINEPRINT_TEST_SEED=${seed}\n`);
    chaos = await DisturbedStack.start(COMMITS);
  }, 240_000);
  afterAll(() => chaos?.stop(), 60_000);

  /** Values that no version can read, among the records of an organisation. */
  async function appendPoison(orgId: string, value: string): Promise<void> {
    const topics = [TOPICS.snippets, TOPICS.commits, TOPICS.candidates, TOPICS.attributions];
    const sent = await chaos.log.append(
      topics.map((topic) => ({
        topic,
        key: projectKey(orgId, 'history'),
        value: Buffer.from(value),
        headers: {},
      })),
    );
    poison.push(...sent.map(({ partition, offset }, i) => `${topics[i]} ${partition} ${offset}`));
  }

  /** Kills a service when it passes a point; `restarted` once it is ready again. */
  function kill({ service, point, passage }: Kill) {
    const armed = armFailpoint(chaos.folder, chaos.stack.services[service].pid, {
      point,
      passage,
      signal: 'SIGKILL',
    });
    return { ...armed, restarted: until(armed.hasStruck).then(() => chaos.stack.restart(service)) };
  }

  it.each(rounds.map((kills) => [kills.map(describeKill).join('; '), kills] as const))(
    '(%s) loses nothing and doubles nothing: all is as if nothing had happened',
    async (_names, kills) => {
      const round = kills.map(kill);
      const runs: { orgId: string; exported: string }[] = [];
      // Of batches that the log makes as it likes one run may have too few.
      do {
        runs.push(
          await chaos.backfill.send(async (orgId) => {
            await appendPoison(orgId, 'not JSON');
            await appendPoison(orgId, '{}');
            // It has nothing to lose: whoever asks it meanwhile asks again.
            chaos.stack.kill('query-api');
            await chaos.stack.restart('query-api');
          }),
        );
      } while (!round.every(({ hasStruck }) => hasStruck()));
      await Promise.all(round.map(({ restarted }) => restarted));
      await chaos.read();
      for (const { orgId, exported } of runs) {
        expect(exported).toBe(chaos.backfill.undisturbed.exported);
        const stored = await storedTables(chaos.database, orgId);
        expect(stored['ai_code_fingerprints']).toHaveLength(chaos.backfill.undisturbed.fingerprints);
        expect(stored['commit_verdicts']).toHaveLength(COMMITS);
        expect(stored).toEqual(chaos.undisturbed);
        for (const table of ['judged_commits', 'repository_line_changes'] as const) {
          const inOrder = Array.from({ length: COMMITS }, (_, i) => i + 1);
          expect(await positions(chaos.database, table, orgId)).toEqual(inOrder);
        }
      }
    },
    120_000,
  );

  it(`(whoever relays the outbox: ${outboxKill.point}) relays again what it had not deleted, and it counts once`, async () => {
    const quiet = await sendAgain([TOPICS.snippets, TOPICS.commits]);
    const disturbed = await sendAgain([TOPICS.snippets, TOPICS.commits], async (topic) => {
      if (topic !== outboxKill.relayed) return;
      const armed = (Object.keys(POINTS) as ServiceName[]).map((service) => {
        const { pid } = chaos.stack.services[service];
        return {
          service,
          ...armFailpoint(chaos.folder, pid, { ...outboxKill, passage: 1, signal: 'SIGKILL' }),
        };
      });
      await until(() => armed.some(({ hasStruck }) => hasStruck()));
      for (const { service, hasStruck, disarm } of armed) {
        disarm();
        if (hasStruck()) await chaos.stack.restart(service);
      }
    });
    await expectTheSame(disturbed, quiet);
  }, 120_000);

  it(`(snippets that come late; ${lateKills.map(describeKill).join('; ')}) has their commits analysed again as if nothing had happened`, async () => {
    const quiet = await sendAgain([TOPICS.commits, TOPICS.snippets]);
    const disturbed = await sendAgain([TOPICS.commits, TOPICS.snippets], async (topic) => {
      if (topic !== TOPICS.snippets) return;
      await Promise.all(lateKills.map((one) => kill(one).restarted));
    });
    const [revised] = await chaos.database.query(
      'SELECT 1 FROM commits WHERE org_id = $1 AND revision > 0 LIMIT 1',
      [quiet],
    );
    expect(revised).toBeDefined();
    await expectTheSame(disturbed, quiet);
  }, 120_000);

  async function expectTheSame(orgId: string, quiet: string): Promise<void> {
    const stored = await storedTables(chaos.database, orgId);
    expect(stored['ai_code_fingerprints']).toHaveLength(chaos.backfill.undisturbed.fingerprints);
    expect(stored['commit_verdicts']).toHaveLength(COMMITS);
    expect(stored).toEqual(await storedTables(chaos.database, quiet));
  }

  /**
   * Sends what the undisturbed organisation has sent, for a new one and through the outbox: one topic, and when all of
   * it has had its effects the other one. The snippets are those of a client, which no commit declares.
   */
  async function sendAgain(
    topics: readonly string[],
    disturb: (topic: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<string> {
    const orgId = `org-${randomUUID()}`;
    await bootstrap(chaos.database, { orgId, lineKey: LINE_KEY, timeZone: 'UTC' });
    for (const topic of topics) {
      const snippetHorizon = await chaos.log.endOffsets(TOPICS.snippets);
      const records: OutgoingRecord[] = [];
      for await (const { key, value, headers } of readAll(topic)) {
        if (headers['lp_tenant'] !== chaos.backfill.undisturbed.orgId) continue;
        const event = JSON.parse(Buffer.from(value).toString('utf8')) as Record<string, unknown>;
        const { declaredBy: _declaredBy, ...rest } = event;
        const again = { ...rest, tenant: orgId, ...('snippetHorizon' in event ? { snippetHorizon } : {}) };
        records.push({
          topic,
          key: key.replace(chaos.backfill.undisturbed.orgId, orgId),
          value: Buffer.from(JSON.stringify(again)),
          headers: { ...headers, lp_tenant: orgId },
        });
      }
      const disturbing = disturb(topic);
      await chaos.database.transaction((tx) => enqueue(tx, records));
      await disturbing;
      await chaos.read();
    }
    return orgId;
  }

  async function* readAll(topic: string): AsyncIterable<LogRecord> {
    const ends = await chaos.log.endOffsets(topic);
    yield* chaos.log.read(
      topic,
      ends.map((to, partition) => ({ partition, from: 0, to })),
    );
  }

  it(`(line-attributor in a replay: ${replayKills.join('; ')}) gives a copy of the policy the results of the policy`, async () => {
    const { orgId } = chaos.backfill.undisturbed;
    const live = (await activePolicy(chaos.database, orgId))!;
    const copies = replayKills.map((_, i) => `copy-${i}`);
    for (const [i, policyId] of copies.entries()) {
      await createPolicy(chaos.database, orgId, { ...live, id: policyId });
      // Armed first: a replay of so few commits may be through before anybody looks.
      const { restarted } = kill({ service: 'line-attributor', point: replayKills[i]!, passage: 1 });
      await createReplay(chaos.database, { orgId, policyId, topic: 'candidates' });
      await restarted;
    }
    await until(async () =>
      (await listReplays(chaos.database, orgId)).every(({ replay }) => replay.status === 'following'),
    );
    // The ledger labels lines after the verdicts.
    await chaos.read();
    const judgedLive = await storedResults(chaos.database, orgId, live.id);
    expect(judgedLive['commit_verdicts']).toHaveLength(COMMITS);
    for (const policyId of copies) {
      expect(await storedResults(chaos.database, orgId, policyId)).toEqual(judgedLive);
    }
  }, 120_000);

  it('leaves every bad record, and nothing else, in its dead-letter topic', async () => {
    const letters: string[] = [];
    for (const topic of Object.values(TOPICS)) {
      for await (const { headers } of readAll(deadLetterTopic(topic))) {
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
