import { type AttributionEvent, DEFAULT_POLICY, TOPICS } from '@lineprint/contracts';
import { createPolicy, type Database, dropPolicy } from '@lineprint/persistence';
import { below, randomVerdict, seededRandom } from '../testing/random-verdicts';
import { allRows, batchOf, emptyTables, openRollupDatabase, rowsOf } from '../testing/stored-tables';
import { AttributionConsumer } from './attribution.consumer';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

let database: Database;
let consumer: AttributionConsumer;
beforeAll(async () => {
  database = await openRollupDatabase();
  consumer = new AttributionConsumer(database);
});
beforeEach(() => emptyTables(database));
afterAll(() => database.close());

const consume = (values: readonly unknown[], firstOffset = 0) =>
  consumer.consume(batchOf(TOPICS.attributions, values, firstOffset));

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
const verdictsOf = (seed: number, count = 60) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => randomVerdict(random));
};
const verdictOf = (seed: number, is: (event: AttributionEvent) => boolean): AttributionEvent =>
  verdictsOf(seed, 200).find(is)!;
const hasLines = ({ files }: AttributionEvent) => files.some(({ lines }) => lines.length > 0);

describe.each(seeds)('verdicts drawn with seed %i', (seed) => {
  it('leave the same tables when they are consumed twice', async () => {
    const events = verdictsOf(seed);
    await consume(events);
    const once = await allRows(database);
    expect(once['ai_attribution_results']!.length).toBeGreaterThan(0);
    await consume(events);
    expect(await allRows(database)).toEqual(once);
    await consume(events.slice(20, 40), 20);
    expect(await allRows(database)).toEqual(once);
  });

  it('leave the same tables however they are cut into batches', async () => {
    const events = verdictsOf(seed);
    await consume(events);
    const once = await allRows(database);
    await emptyTables(database);
    const random = seededRandom(seed + 1000);
    for (let at = 0; at < events.length;) {
      const size = 1 + below(random, 9);
      await consume(events.slice(at, at + size), at);
      // A batch whose commit was lost comes again, whole or in part.
      if (random() < 0.3) await consume(events.slice(at, at + 1 + below(random, size)), at);
      at += size;
    }
    expect(await allRows(database)).toEqual(once);
  });

  it('make daily rows that are the sum of the results in every column', async () => {
    await consume(verdictsOf(seed));
    const results = await rowsOf(database, 'ai_attribution_results');
    const daily = await rowsOf(database, 'ai_attribution_daily');
    const dayOf = (row: (typeof daily)[number], date: unknown) =>
      JSON.stringify([row['org_id'], row['policy_id'], date, row['user_id'], row['project_id']]);
    expect(daily.map((row) => dayOf(row, row['date'])).sort()).toEqual(
      [...new Set(results.map((row) => dayOf(row, row['day'])))].sort(),
    );
    for (const row of daily) {
      const rows = results.filter((result) => dayOf(result, result['day']) === dayOf(row, row['date']));
      const sum = (of: (result: (typeof rows)[number]) => number) =>
        rows.reduce((total, result) => total + of(result), 0);
      const column = (name: string) => (result: (typeof rows)[number]) => Number(result[name]);
      const counted = (result: (typeof rows)[number]) =>
        Number(result['ai_preserved_lines']) + Number(result['ai_modified_lines']);
      const weighted = (result: (typeof rows)[number]) =>
        Number(result['ai_preserved_lines']) + 0.5 * Number(result['ai_modified_lines']);
      const where = (name: string, value: string, of: typeof weighted) => (result: (typeof rows)[number]) =>
        result[name] === value ? of(result) : 0;
      const distinct = (list: typeof rows, ...names: string[]) =>
        new Set(list.map((result) => JSON.stringify(names.map((name) => result[name])))).size;
      const lines = sum(column('total_lines'));
      expect(row).toEqual({
        org_id: row['org_id'],
        policy_id: row['policy_id'],
        date: row['date'],
        user_id: row['user_id'],
        project_id: row['project_id'],
        total_commits: distinct(rows, 'repository', 'commit_sha'),
        total_files_changed: distinct(rows, 'repository', 'commit_sha', 'file_path'),
        files_with_ai: distinct(
          rows.filter((result) => counted(result) > 0),
          'repository',
          'file_path',
        ),
        total_lines: lines,
        ai_preserved_lines: sum(column('ai_preserved_lines')),
        ai_modified_lines: sum(column('ai_modified_lines')),
        human_new_lines: sum(column('human_new_lines')),
        ai_attributed_lines: sum(weighted),
        ai_ratio: lines === 0 ? 0 : Math.round((sum(weighted) * 1000) / lines) / 1000,
        tab_ai_lines: sum(where('match_source', 'tab', weighted)),
        chat_ai_lines: sum(where('match_source', 'chat', weighted)),
        agent_ai_lines: sum(where('match_source', 'agent', weighted)),
        high_confidence_lines: sum(where('confidence', 'HIGH', counted)),
        low_confidence_lines: sum(where('confidence', 'LOW', counted)),
        suspect_lines: sum(column('suspect_lines')),
        declared_ai_lines: sum(where('evidence', 'declared', weighted)),
        matched_ai_lines: sum(where('evidence', 'matched', weighted)),
        estimated_ai_lines: sum(where('evidence', 'estimated', weighted)),
        tab_suggestions_shown: 0,
        tab_suggestions_accepted: 0,
        tab_accept_rate: 0,
        chat_edit_count: 0,
        agent_task_count: 0,
      });
    }
  });

  it('label as many lines as each file adds without its inherited and blank ones, and hold what the events say', async () => {
    const events = verdictsOf(seed);
    await consume(events);
    const standing = new Map<string, AttributionEvent>();
    for (const event of events) {
      const { tenant, repository, sha, revision = 0 } = event.commit;
      const key = JSON.stringify([tenant, event.policy, repository, sha]);
      const known = standing.get(key);
      if (!known || (known.commit.revision ?? 0) < revision) standing.set(key, event);
    }
    const files = await database.query<{
      key: string;
      path: string;
      counted: number;
      kept: number;
      changed: number;
      human: number;
    }>(
      `SELECT jsonb_build_array(f.org_id, f.policy_id, f.repository, f.commit_sha)::text AS key,
              f.file_path AS path,
              CASE WHEN excluded IS NULL THEN added_lines - blank_lines - inherited_lines ELSE 0 END AS counted,
              COALESCE(SUM(n) FILTER (WHERE kind = 'P'), 0)::int AS kept,
              COALESCE(SUM(n) FILTER (WHERE kind = 'M'), 0)::int AS changed,
              COALESCE(SUM(n) FILTER (WHERE kind = 'H'), 0)::int AS human
         FROM commit_files f
         LEFT JOIN LATERAL (SELECT (l->>'count')::int AS n, l->>'kind' AS kind
                              FROM jsonb_array_elements(f.lines) AS l) l ON TRUE
        GROUP BY f.org_id, f.policy_id, f.repository, f.commit_sha, f.file_path`,
    );
    for (const { counted, kept, changed, human } of files) expect(kept + changed + human).toBe(counted);
    const sums = (event: AttributionEvent) =>
      event.files.map(({ path, results }) => ({
        path,
        kept: results.reduce((sum, { preserved }) => sum + preserved, 0),
        changed: results.reduce((sum, { modified }) => sum + modified, 0),
        human: results.reduce((sum, result) => sum + result.human, 0),
      }));
    const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
    for (const [key, event] of standing) {
      const stored = files
        .filter((file) => JSON.stringify(JSON.parse(file.key)) === key)
        .map(({ path, kept, changed, human }) => ({ path, kept, changed, human }));
      expect(stored.sort(byPath)).toEqual(sums(event).sort(byPath));
    }
    expect(await rowsOf(database, 'commit_verdicts')).toHaveLength(standing.size);
  });
});

describe('a batch of verdicts', () => {
  it('dead-letters the commit that does not reconcile and keeps its neighbours', async () => {
    const [before, broken, after] = ['a', 'b', 'c'].map((digit) => {
      const event = verdictOf(11, hasLines);
      return { ...event, commit: { ...event.commit, sha: digit.repeat(40) } };
    }) as [AttributionEvent, AttributionEvent, AttributionEvent];
    const file = broken.files.find(({ lines }) => lines.length > 0)!;
    const wrong = { ...broken, files: [{ ...file, addedLines: file.addedLines + 1 }] };
    const answer = await consume([before, wrong, '{"policy":', after], 7);
    expect(answer.processed).toBe(4);
    expect(answer.deadLetters?.map(({ record, code }) => [record.offset, code]).sort()).toEqual([
      [8, 'lines-do-not-reconcile'],
      [9, 'event-invalid'],
    ]);
    const shas = (await rowsOf(database, 'commits')).map(({ sha }) => sha);
    expect(shas).toEqual([before.commit.sha, after.commit.sha]);
    // Its right verdict may still come.
    await consume([broken], 11);
    expect((await rowsOf(database, 'commits')).map(({ sha }) => sha)).toContain(broken.commit.sha);
  });

  it('refuses a commit that names a file twice, since only one of them could be stored', async () => {
    const event = verdictOf(12, hasLines);
    const file = event.files.find(({ lines }) => lines.length > 0)!;
    const { deadLetters } = await consume([{ ...event, files: [file, file] }]);
    expect(deadLetters?.map(({ code }) => code)).toEqual(['path-repeated']);
    expect(await rowsOf(database, 'commits')).toEqual([]);
  });

  it('leaves no rows under a policy that was dropped meanwhile', async () => {
    const event = verdictOf(12, hasLines);
    await createPolicy(database, event.commit.tenant, { ...DEFAULT_POLICY, id: 'gone' });
    await dropPolicy(database, event.commit.tenant, 'gone');
    expect(await consume([{ ...event, policy: 'gone' }])).toEqual({ processed: 1, deadLetters: [] });
    expect(await rowsOf(database, 'commit_verdicts')).toEqual([]);
    expect(await rowsOf(database, 'ai_attribution_daily')).toEqual([]);
  });

  it('leaves no rows when the database refuses one of them', async () => {
    const event = verdictOf(13, hasLines);
    const unstorable = { ...event, commit: { ...event.commit, sha: 'f'.repeat(40), branch: 'a\u0000b' } };
    await expect(consume([{ ...event, policy: 'other' }, unstorable])).rejects.toMatchObject({
      transient: false,
    });
    expect(await rowsOf(database, 'ai_attribution_results')).toEqual([]);
  });

  it('stores names that Postgres cannot hold with a replacement character', async () => {
    const event = verdictOf(14, hasLines);
    await consume([
      { ...event, commit: { ...event.commit, authorName: 'A\u0000d\ud800a', userId: 'ada\udc00' } },
    ]);
    expect(await rowsOf(database, 'commits')).toMatchObject([{ author_name: 'A�d�a', user_id: 'ada�' }]);
  });
});

describe('verdicts of several policies', () => {
  it('on one commit stand side by side, each with its own days', async () => {
    const event = verdictOf(21, (verdict) => hasLines(verdict) && verdict.policy === 'default');
    await consume([event]);
    await consume([{ ...event, policy: 'strict' }], 1);
    expect(await rowsOf(database, 'commits')).toHaveLength(1);
    for (const table of ['commit_files', 'ai_attribution_results', 'ai_attribution_daily'] as const) {
      const rows = await rowsOf(database, table);
      const without = (policy: string) =>
        rows.filter((row) => row['policy_id'] === policy).map(({ policy_id: _policy, ...row }) => row);
      expect(without('default').length).toBeGreaterThan(0);
      expect(without('strict')).toEqual(without('default'));
    }
  });

  it('are told apart for commits without files too', async () => {
    const event = { ...verdictOf(22, hasLines), files: [] };
    await consume([event, { ...event, policy: 'other' }, event]);
    const verdicts = await rowsOf(database, 'commit_verdicts');
    expect(verdicts.map(({ policy_id }) => policy_id).sort()).toEqual([event.policy, 'other'].sort());
    expect(await rowsOf(database, 'ai_attribution_daily')).toEqual([]);
  });

  it('keep the first of one policy, whatever a later one says', async () => {
    const event = verdictOf(23, hasLines);
    const first = await consume([event]).then(() => allRows(database));
    await consume([{ ...event, files: [] }], 1);
    await consume(
      [{ ...event, files: event.files.map((file) => ({ ...file, path: 'other.ts' })).slice(0, 1) }],
      2,
    );
    expect(await allRows(database)).toEqual(first);
  });
});

describe('a verdict on a higher revision', () => {
  const original = verdictOf(
    31,
    ({ commit, files }) => files.some(({ results }) => results.length > 0) && !commit.revision,
  );
  const late = { ...original, commit: { ...original.commit, late: true } };
  const again = (revision: number, files = original.files): AttributionEvent => ({
    ...original,
    commit: { ...original.commit, late: false, revision },
    files,
  });

  it('replaces files, results and days, and takes the mark of lateness away', async () => {
    await consume([again(1)]);
    const alone = await allRows(database);
    await emptyTables(database);
    await consume([
      { ...late, files: original.files.map((file) => ({ ...file, path: `old/${file.path}` })) },
    ]);
    await consume([again(1)], 1);
    expect(await allRows(database)).toEqual(alone);
    expect(await rowsOf(database, 'commits')).toMatchObject([{ late: false, revision: 1 }]);
  });

  it('leaves no day behind where it has no lines', async () => {
    await consume([late]);
    await consume([again(1, [])], 1);
    expect(await rowsOf(database, 'ai_attribution_results')).toEqual([]);
    expect(await rowsOf(database, 'ai_attribution_daily')).toEqual([]);
  });

  it('stands against lower ones and repetitions that come after it', async () => {
    await consume([again(2)]);
    const standing = await allRows(database);
    await consume([late, again(1, []), again(2, [])], 1);
    expect(await allRows(database)).toEqual(standing);
  });

  it('of one policy leaves the verdict of another', async () => {
    await consume([original, { ...original, policy: 'other' }]);
    const before = await rowsOf(database, 'ai_attribution_results');
    await consume([{ ...again(1, []), policy: 'other' }], 1);
    expect(await rowsOf(database, 'ai_attribution_results')).toEqual(
      before.filter((row) => row['policy_id'] === original.policy),
    );
  });
});
