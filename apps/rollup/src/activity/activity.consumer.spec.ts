import { type ActivityEvent, DEFAULT_POLICY, TOPICS } from '@lineprint/contracts';
import { createPolicy, createReplay, type Database, insertSnippets } from '@lineprint/persistence';
import { recomputeSessionDays } from '@lineprint/results';
import { AttributionConsumer } from '../results/attribution.consumer';
import { below, pick, randomVerdict, seededRandom } from '../testing/random-verdicts';
import { allRows, batchOf, emptyTables, openRollupDatabase, rowsOf } from '../testing/stored-tables';
import { ActivityConsumer } from './activity.consumer';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

let database: Database;
let consumer: ActivityConsumer;
beforeAll(async () => {
  database = await openRollupDatabase();
  consumer = new ActivityConsumer(database);
});
beforeEach(() => emptyTables(database));
afterAll(() => database.close());

const consume = (values: readonly unknown[], firstOffset = 0) =>
  consumer.consume(batchOf(TOPICS.activity, values, firstOffset));

function report(at: string, changes: Partial<ActivityEvent> = {}): ActivityEvent {
  return {
    tenant: 'acme',
    projectId: 'shop',
    sessionId: 's1',
    userId: 'ada@example.org',
    timestamp: Date.parse(at),
    tab: { suggestionsShown: 10, suggestionsAccepted: 4, charsAccepted: 90, fingerprints: [] },
    ...changes,
  };
}
const shown = (suggestionsShown: number) => ({
  tab: { suggestionsShown, suggestionsAccepted: 1, charsAccepted: 1, fingerprints: [] },
});
const days = async () =>
  (await rowsOf(database, 'ai_attribution_daily')).map((row) => [
    row['org_id'],
    row['date'],
    row['user_id'],
    row['tab_suggestions_shown'],
  ]);

describe('a session', () => {
  it('counts with its newest totals, and an older report changes nothing', async () => {
    await consume([report('2026-03-08T10:00:00Z'), report('2026-03-08T12:00:00Z', shown(30))]);
    await consume([report('2026-03-08T11:00:00Z', shown(20))], 2);
    expect(await days()).toEqual([['acme', '2026-03-08', 'ada@example.org', 30]]);
  });

  it('belongs to the person of the commits, in whatever case a client writes the address', async () => {
    await consume([report('2026-03-08T10:00:00Z', { userId: 'Ada@Example.ORG' })]);
    expect(await days()).toEqual([['acme', '2026-03-08', 'ada@example.org', 10]]);
  });

  it('without lines makes a day of its own that counts no commits and no files', async () => {
    await consume([
      report('2026-03-08T10:00:00Z', {
        chat: { edits: 3, additions: 9, deletions: 1, fingerprints: [] },
        agent: { tasks: 2, additions: 50, deletions: 5, fingerprints: [] },
      }),
    ]);
    expect(await rowsOf(database, 'ai_attribution_daily')).toMatchObject([
      {
        total_commits: 0,
        total_files_changed: 0,
        files_with_ai: 0,
        total_lines: 0,
        ai_ratio: 0,
        tab_suggestions_shown: 10,
        tab_suggestions_accepted: 4,
        tab_accept_rate: 0.4,
        chat_edit_count: 3,
        agent_task_count: 2,
      },
    ]);
  });

  it('that moves to another day leaves nothing on its old one', async () => {
    await consume([report('2026-03-08T23:00:00Z')]);
    await consume([report('2026-03-09T01:00:00Z', shown(25))], 1);
    expect(await days()).toEqual([['acme', '2026-03-09', 'ada@example.org', 25]]);
  });

  it('that moves to another person or project leaves nothing behind either', async () => {
    await consume([report('2026-03-08T10:00:00Z')]);
    await consume([report('2026-03-08T11:00:00Z', { userId: 'bob@example.org', projectId: 'engine' })], 1);
    expect(await rowsOf(database, 'ai_attribution_daily')).toMatchObject([
      { user_id: 'bob@example.org', project_id: 'engine', tab_suggestions_shown: 10 },
    ]);
  });

  it('that moves leaves the lines and the other sessions of its old day', async () => {
    const random = seededRandom(3);
    const verdict = Array.from({ length: 99 }, () => randomVerdict(random)).find(
      ({ commit, files, policy }) =>
        commit.tenant === 'acme' && policy === 'default' && files.some(({ lines }) => lines.length > 0),
    )!;
    const { projectId, userId, authoredAt } = verdict.commit;
    const where = { projectId, userId };
    await new AttributionConsumer(database).consume(batchOf(TOPICS.attributions, [verdict]));
    const linesOnly = await rowsOf(database, 'ai_attribution_daily');
    const at = new Date(authoredAt).toISOString();
    await consume([report(at, where), report(at, { ...where, ...shown(7), sessionId: 's2' })]);
    await consume([report('2027-01-01T00:00:00Z', where)], 2);
    await consume([report('2027-01-02T00:00:00Z', { ...where, sessionId: 's2' })], 3);
    const stored = await rowsOf(database, 'ai_attribution_daily');
    expect(stored).toHaveLength(3);
    expect(stored).toEqual(expect.arrayContaining(linesOnly));
  });

  it('says how its completions stood, by its newest report alone', async () => {
    const survival = (afterSeconds: 15 | 600, checks: number, wordSimilarity: number) => ({
      ...{ afterSeconds, checks, wordSimilarity, stillInCode: 1, charSimilarity: 0.5 },
    });
    const withSurvival = (...rows: ReturnType<typeof survival>[]) => ({
      tab: {
        suggestionsShown: 9,
        suggestionsAccepted: 4,
        charsAccepted: 9,
        fingerprints: [],
        survival: rows,
      },
    });
    await consume([
      report('2026-03-08T10:00:00Z', withSurvival(survival(15, 4, 1), survival(600, 1, 1 / 3))),
      report('2026-03-08T09:00:00Z', { sessionId: 's2', ...withSurvival(survival(15, 2, 0.5)) }),
    ]);
    const sums = async () =>
      (await rowsOf(database, 'attribution_days')).map((row) => [
        row['user_id'],
        row['project_id'],
        row['survival_checks'],
        row['survival_similarity'],
      ]);
    expect(await sums()).toEqual(
      expect.arrayContaining([
        ['ada@example.org', 'shop', 7, 5.333333],
        ['', 'shop', 7, 5.333333],
        ['', '', 7, 5.333333],
      ]),
    );
    await consume([report('2026-03-08T11:00:00Z', withSurvival(survival(15, 5, 0.8)))], 2);
    await consume([report('2026-03-08T10:30:00Z', withSurvival(survival(15, 99, 0)))], 3);
    expect(await rowsOf(database, 'session_survival')).toHaveLength(2);
    expect(await sums()).toContainEqual(['', '', 7, 5]);
  });

  it('counts on its day in the organisation’s time zone', async () => {
    await consume([
      report('2026-03-08T04:30:00Z'),
      report('2026-03-08T04:30:00Z', { tenant: 'rival', projectId: 'spy' }),
    ]);
    expect((await days()).map(([org, date]) => [org, date])).toEqual([
      ['rival', '2026-03-07'],
      ['acme', '2026-03-08'],
    ]);
  });

  it('counts for the person of its report, else of its fingerprints, else for nobody known', async () => {
    await insertSnippets(database, [
      {
        orgId: 'acme',
        codeId: 'c1',
        sessionId: 's1',
        userId: 'grace@example.org',
        projectId: 'shop',
        source: 'tab',
        signature: new Uint8Array(512),
        lshBuckets: new Uint8Array(64),
        language: 'go',
        fileExtension: 'go',
        lineCount: 1,
        charCount: 1,
        structureHash: '0123456789abcdef',
        rawCodeEncrypted: null,
        protocol: 1,
        repository: null,
        model: null,
        client: null,
        editKind: null,
        acceptedPartially: null,
        declaredBy: null,
        astSignature: null,
        partition: 0,
        offset: 0,
        createdAt: new Date('2026-03-08T10:00:00Z'),
        keyId: null,
        linePrints: null,
        pathKey: null,
        before: null,
        after: null,
      },
    ]);
    const { userId: _user, ...anonymous } = report('2026-03-08T10:00:00Z');
    await consume([
      anonymous,
      { ...anonymous, sessionId: 's2' },
      report('2026-03-08T10:00:00Z', { sessionId: 's3' }),
    ]);
    expect(
      (await rowsOf(database, 'activity_sessions')).map((row) => [row['session_id'], row['user_id']]),
    ).toEqual(
      expect.arrayContaining([
        ['s1', 'grace@example.org'],
        ['s2', 'unknown'],
        ['s3', 'ada@example.org'],
      ]),
    );
  });

  it('counts under the live policy and under each that has a replay', async () => {
    await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'strict' });
    await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'unused' });
    const policies = async () =>
      (await rowsOf(database, 'ai_attribution_daily')).map(({ policy_id }) => policy_id);
    await consume([report('2026-03-08T10:00:00Z')]);
    expect(await policies()).toEqual(['default']);
    await createReplay(database, { orgId: 'acme', policyId: 'strict', topic: 'candidates' });
    await consume([report('2026-03-08T11:00:00Z')], 1);
    expect(await policies()).toEqual(['default', 'strict']);
  });

  it('counts under a policy that has been judged anew, also where it was reported before', async () => {
    await createPolicy(database, 'rival', { ...DEFAULT_POLICY, id: 'lenient' });
    await consume([report('2026-03-08T10:00:00Z', { tenant: 'rival' }), report('2026-03-08T10:00:00Z')]);
    await database.transaction((tx) => recomputeSessionDays(tx, 'rival', 'lenient'));
    const rows = (await rowsOf(database, 'ai_attribution_daily')).filter(({ org_id }) => org_id === 'rival');
    const [lenient, standard] = ['lenient', 'default'].map((policy) =>
      rows
        .filter(({ policy_id }) => policy_id === policy)
        .map(({ policy_id: _policy, ...figures }) => figures),
    );
    expect(lenient).toHaveLength(1);
    expect(lenient).toEqual(standard);
  });
});

describe.each([1, 2, 3, 4])('reports drawn with seed %i', (seed) => {
  const random = seededRandom(seed);
  const reports = Array.from({ length: 60 }, () =>
    report(new Date(Date.UTC(2026, 2, 8, below(random, 72))).toISOString(), {
      tenant: pick(random, ['acme', 'rival']),
      sessionId: `s${below(random, 12)}`,
      userId: pick(random, ['ada@example.org', 'bob@example.org']),
      projectId: pick(random, ['shop', 'engine']),
      tab: {
        suggestionsShown: below(random, 50),
        suggestionsAccepted: below(random, 50),
        charsAccepted: 0,
        fingerprints: [],
      },
      chat: { edits: below(random, 9), additions: 0, deletions: 0, fingerprints: [] },
    }),
  );

  it('leave the same tables however they are cut into batches and when they come twice', async () => {
    await consume(reports);
    const once = await allRows(database);
    await consume(reports);
    expect(await allRows(database)).toEqual(once);
    await emptyTables(database);
    const cut = seededRandom(seed + 1000);
    for (let at = 0; at < reports.length;) {
      const size = 1 + below(cut, 7);
      await consume(reports.slice(at, at + size), at);
      at += size;
    }
    expect(await allRows(database)).toEqual(once);
  });

  it('make daily rows that are the sum of the sessions', async () => {
    await consume(reports);
    const sessions = await rowsOf(database, 'activity_sessions');
    const sums = new Map<string, [number, number, number]>();
    for (const row of sessions) {
      const key = JSON.stringify([row['org_id'], row['day'], row['user_id'], row['project_id']]);
      const [tabs, accepted, edits] = sums.get(key) ?? [0, 0, 0];
      sums.set(key, [
        tabs + Number(row['tab_suggestions_shown']),
        accepted + Number(row['tab_suggestions_accepted']),
        edits + Number(row['chat_edits']),
      ]);
    }
    const daily = await rowsOf(database, 'ai_attribution_daily');
    expect(
      new Map(
        daily.map((row) => [
          JSON.stringify([row['org_id'], row['date'], row['user_id'], row['project_id']]),
          [row['tab_suggestions_shown'], row['tab_suggestions_accepted'], row['chat_edit_count']],
        ]),
      ),
    ).toEqual(sums);
    for (const row of daily) {
      expect(row['tab_accept_rate']).toBeGreaterThanOrEqual(0);
      expect(row['tab_accept_rate']).toBeLessThanOrEqual(1);
    }
  });
});

it('a batch of reports dead-letters what is no report', async () => {
  const answer = await consume([{ tenant: 'acme' }, report('2026-03-08T10:00:00Z')], 4);
  expect(answer).toMatchObject({ processed: 2, deadLetters: [{ code: 'event-invalid' }] });
  expect(await days()).toHaveLength(1);
});
