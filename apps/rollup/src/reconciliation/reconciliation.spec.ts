import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ActivityEvent, DEFAULT_POLICY, TOPICS } from '@lineprint/contracts';
import {
  createPolicy,
  createReplay,
  type Database,
  ensureTenant,
  MIGRATIONS_DIRECTORY,
} from '@lineprint/persistence';
import {
  findReconciliation,
  listReconciliations,
  openDifferences,
  reconcileNext,
  type Reconciliation,
  requestNightly,
  requestReconciliation,
} from '@lineprint/results';
import { ActivityConsumer } from '../activity/activity.consumer';
import { AttributionConsumer } from '../results/attribution.consumer';
import { below, pick, type Random, randomVerdict, seededRandom } from '../testing/random-verdicts';
import { batchOf, emptyTables, openRollupDatabase } from '../testing/stored-tables';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

const running = new AbortController().signal;
let database: Database;
beforeAll(async () => {
  database = await openRollupDatabase();
  await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'strict' });
});
beforeEach(async () => {
  await emptyTables(database);
  await database.query('DELETE FROM reconciliations');
});
afterAll(() => database.close());

function randomReport(random: Random): ActivityEvent {
  return {
    tenant: pick(random, ['acme', 'rival']),
    projectId: pick(random, ['shop', 'engine']),
    sessionId: `s${below(random, 9)}`,
    userId: pick(random, ['ada@example.org', 'bob@example.org']),
    timestamp: Date.UTC(2026, 2, 7) + below(random, 3 * 86_400_000),
    tab: {
      suggestionsShown: below(random, 50),
      suggestionsAccepted: below(random, 50),
      charsAccepted: 0,
      fingerprints: [],
      survival: [
        {
          afterSeconds: 30,
          checks: below(random, 9),
          stillInCode: 0,
          wordSimilarity: random(),
          charSimilarity: 0,
        },
      ],
    },
  };
}

async function store(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const attributions = new AttributionConsumer(database);
  const activity = new ActivityConsumer(database);
  for (let at = 0; at < 60; at += 12) {
    const verdicts = Array.from({ length: 12 }, () => randomVerdict(random));
    await attributions.consume(batchOf(TOPICS.attributions, verdicts, at));
    const reports = Array.from({ length: 5 }, () => randomReport(random));
    await activity.consume(batchOf(TOPICS.activity, reports, at));
  }
}

async function reconcile(orgId = 'acme'): Promise<Reconciliation> {
  const { id } = await requestReconciliation(database, orgId, 'ada');
  await reconcileNext(database, running);
  return (await findReconciliation(database, orgId, id))!;
}

describe('a reconciliation', () => {
  it.each([1, 2, 3, 4])(
    'finds days and their sums to be what results and sessions drawn with seed %i say',
    async (seed) => {
      await createReplay(database, { orgId: 'acme', policyId: 'strict', topic: 'candidates' });
      await database.query("UPDATE replays SET status = 'following'");
      await store(seed);
      const ours = await reconcile();
      expect(ours).toMatchObject({ differences: 0, details: [], requestedBy: 'ada', night: null });
      expect(ours.days).toBeGreaterThanOrEqual(6);
      expect(await reconcile('rival')).toMatchObject({ differences: 0 });
    },
  );

  it.each([
    ['ai_attribution_daily', 'UPDATE ai_attribution_daily SET human_new_lines = human_new_lines + 1'],
    ['ai_attribution_daily', 'DELETE FROM ai_attribution_daily'],
    ['attribution_cells', 'UPDATE attribution_cells SET similarity = similarity + 0.001'],
    ['attribution_cells', "DELETE FROM attribution_cells WHERE user_id = ''"],
    ['attribution_days', 'UPDATE attribution_days SET survival_similarity = survival_similarity + 0.000001'],
    ['attribution_days', "UPDATE attribution_days SET commits = commits + 1 WHERE project_id = ''"],
    ['attribution_file_days', 'UPDATE attribution_file_days SET file_key = md5(file_key::text)::uuid'],
    ['attribution_file_gaps', 'UPDATE attribution_file_gaps SET files = files + 1'],
    [
      'attribution_file_gaps',
      "UPDATE attribution_file_gaps SET previous = previous - 10000 WHERE previous > '-infinity'",
    ],
  ])('tells where %s is not what it should be after %s', async (table, damage) => {
    await store(5);
    await database.query(damage);
    const { differences, details } = await reconcile();
    expect(differences).toBeGreaterThan(0);
    expect(details.map((difference) => difference.table)).toContain(table);
    expect(details[0]).toMatchObject({
      policy: 'default',
      date: expect.stringMatching(/^2026-03-/) as string,
    });
    expect(await openDifferences(database)).toBe(differences);
    // It tells, and mends nothing.
    expect(await reconcile()).toMatchObject({ differences });
  });

  it('finds what the migration makes of results that were there before to be right, too', async () => {
    await store(7);
    await database.script('TRUNCATE session_survival');
    const file = join(MIGRATIONS_DIRECTORY, '20261130162500_rollups', 'migration.sql');
    const migration = readFileSync(file, 'utf8');
    await database.script(
      `TRUNCATE attribution_cells, attribution_days, attribution_file_days, attribution_file_gaps;
       ${migration.slice(migration.indexOf('INSERT INTO'))}`,
    );
    expect(await reconcile()).toMatchObject({ differences: 0, details: [] });
  });

  it('is asked for once in each night of an organisation, by its own clock', async () => {
    const nights = async (now: string) => {
      await requestNightly(database, new Date(now));
      const all = [
        ...(await listReconciliations(database, 'acme', 9)),
        ...(await listReconciliations(database, 'rival', 9)),
      ];
      return all.map(({ night }) => night);
    };
    // New York is still in the day before, and its clocks go forward in that night.
    expect(await nights('2026-03-08T00:00:00Z')).toEqual(['2026-03-08', '2026-03-07']);
    expect(await nights('2026-03-08T04:59:00Z')).toEqual(['2026-03-08', '2026-03-07']);
    expect(await nights('2026-03-08T05:00:00Z')).toEqual(['2026-03-08', '2026-03-08', '2026-03-07']);
    expect(await nights('2026-03-09T03:59:00Z')).toEqual([
      '2026-03-09',
      '2026-03-08',
      '2026-03-08',
      '2026-03-07',
    ]);
  });

  it('is made by one process, and by another where that was ended', async () => {
    await ensureTenant(database, { orgId: 'acme', name: 'acme' });
    await store(6);
    const { id } = await requestReconciliation(database, 'acme', null);
    expect(await reconcileNext(database, AbortSignal.abort())).toBeNull();
    const [one, other] = await Promise.all([
      reconcileNext(database, running),
      reconcileNext(database, running),
    ]);
    expect([one?.id, other?.id].sort()).toEqual([id, undefined]);
  });
});
