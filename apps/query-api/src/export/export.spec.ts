import type { Database, Transaction } from '@lineprint/persistence';
import { seedExport } from '../testing/export-input';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, shaOf } from '../testing/seed';
import { exportLines } from './export.lines';

interface ExportedLine {
  readonly type: string;
  readonly repository?: string;
  readonly sha?: string;
  readonly date?: string;
  readonly files?: {
    path: string;
    lines: object[];
    inherited: object[];
    results: { evidence_bits: number }[];
  }[];
}

let forwards: Database;
let backwards: Database;
let api: RunningApi;

beforeAll(async () => {
  forwards = await openSeededDatabase();
  await seedExport(forwards, 'forwards');
  backwards = await openSeededDatabase();
  await seedExport(backwards, 'backwards');
  api = await runApi(forwards, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await forwards.close();
  await backwards.close();
});

const view = {
  orgId: 'acme',
  person: null,
  userIds: null,
  projects: null,
  policyId: 'default',
  timeZone: 'UTC',
  weekStart: 1,
};

async function textOf(database: Database): Promise<string> {
  let text = '';
  for await (const line of exportLines(database, view, null)) text += line;
  return text;
}

async function exported(query = '', key?: string): Promise<ExportedLine[]> {
  const response = await api.get(`/api/v1/export?${query}`, key);
  const text = await response.text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ExportedLine);
}

describe('GET /api/v1/export', () => {
  it('streams NDJSON that ends by saying how much there was', async () => {
    const response = await api.get('/api/v1/export');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const text = await response.text();
    expect(text.endsWith('{"type":"end","commits":5,"daily":4}\n')).toBe(true);
    expect(text).toBe(await textOf(forwards));
  });

  it('gives the same bytes whatever order the rows were written in', async () => {
    expect(await textOf(backwards)).toBe(await textOf(forwards));
  });

  it('sorts by bytes, in no locale', async () => {
    const lines = await exported();
    expect(
      lines.flatMap((line) => (line.type === 'commit' ? [`${line.repository} ${line.sha}`] : [])),
    ).toEqual([
      `Acme/zoo ${shaOf('01')}`,
      `acme-tools ${shaOf('02')}`,
      `acme/shop ${shaOf('0b')}`,
      `acme/shop ${shaOf('9f')}`,
      `acme/shop ${shaOf('aa')}`,
    ]);
    const files = lines.find((line) => line.sha === shaOf('0b'))?.files ?? [];
    expect(files.map((file) => file.path)).toEqual([
      'src/Zebra.ts',
      'src/_a.ts',
      'src/a b.ts',
      'src/ähnlich.ts',
    ]);
    expect(files[3]?.lines).toEqual([
      { start: 10, count: 2, kind: 'H', result: 1 },
      { start: 3, count: 2, kind: 'P', result: 0 },
    ]);
    expect(files[0]?.inherited).toEqual([
      { start: 40, count: 2, how: 'whitespace', fromLine: 44 },
      { start: 50, count: 3, how: 'moved', fromFile: 'src/Okapi.ts', fromLine: 7 },
      { start: 60, count: 1, how: 'copied', fromCommit: shaOf('9f') },
    ]);
    expect(lines.filter((line) => line.type === 'daily').map((line) => line.date)).toEqual([
      '2026-05-01',
      '2026-05-02',
      '2026-05-02',
      '2026-05-02',
    ]);
  });

  it('leaves out what depends on when it ran', async () => {
    expect(await textOf(forwards)).not.toMatch(/"(id|analyzed_at|late|org_id|policy_id)":/);
  });

  it('skips a daily row of zeros, which a moved session leaves behind or not', async () => {
    const before = await textOf(forwards);
    await forwards.query(
      `INSERT INTO ai_attribution_daily (date, user_id, project_id, org_id, policy_id)
       VALUES ('2026-04-30', 'ada@acme.dev', 'shop', 'acme', 'default')`,
    );
    expect(await textOf(forwards)).toBe(before);
  });

  it('leaves the daily rows out for one repository, because a day sums over repositories', async () => {
    const lines = await exported('repository=acme-tools');
    expect(lines.map((line) => line.type)).toEqual(['commit', 'end']);
  });

  it('shows a personal key its own person only, and another organisation nothing', async () => {
    const own = await exported('', 'ada');
    expect(own.filter((line) => line.type === 'commit')).toHaveLength(4);
    expect(JSON.stringify(own)).not.toContain('Zoe@acme.dev');
    expect(await exported('', 'rival')).toEqual([{ type: 'end', commits: 0, daily: 0 }]);
  });

  it('gives, where it is asked for, what stands at branches and the lives of lines, and whether that is all', async () => {
    const place = `'acme', 'acme/shop', 'refs/heads/main'`;
    await forwards.script(`
      INSERT INTO line_heads (org_id, repository, ref, project_id, sha, depth, at)
        VALUES (${place}, 'shop', '${shaOf('aa')}', 1, '2026-05-02T10:00:00Z');
      INSERT INTO head_file_lines (org_id, repository, ref, policy_id, path, ordinal, project_id, language, kind, user_id, lines)
        VALUES (${place}, 'default', 'b.ts', 0, 'shop', 'typescript', 'H', 'Zoe@acme.dev', 3),
               (${place}, 'default', 'B.ts', 0, 'shop', 'typescript', 'H', 'Zoe@acme.dev', 5),
               (${place}, 'default', 'B.ts', 1, 'shop', 'typescript', 'U', NULL, 2);
      INSERT INTO life_lines (org_id, repository, ref, policy_id, project_id, origin_commit, language, kind, user_id, born_at, lines)
        VALUES (${place}, 'default', 'shop', '${shaOf('aa')}', 'typescript', 'H', 'Zoe@acme.dev', '2026-05-02T10:00:00Z', 8);`);
    const shown = (lines: ExportedLine[]) =>
      lines
        .filter(({ type }) => !['commit', 'daily'].includes(type))
        .map((line) => {
          const {
            type,
            path,
            lines: count,
            origin_commit,
            commit,
            ledger,
          } = line as Record<string, unknown> & ExportedLine;
          return [type, path ?? origin_commit ?? commit ?? ledger, count]
            .filter((value) => value !== undefined)
            .join(' ');
        });
    const all = [
      `branch ${shaOf('aa')}`,
      ...['head B.ts 5', 'head B.ts 2', 'head b.ts 3', `life ${shaOf('aa')} 8`, 'end kept'],
    ];
    expect(shown(await exported('ledger=true'))).toEqual(all);
    expect(shown(await exported('ledger=true', 'ada'))).toEqual([`branch ${shaOf('aa')}`, 'end kept']);
    expect(shown(await exported('repository=acme-tools&ledger=true'))).toEqual(['end kept']);
    await forwards.query(`INSERT INTO ledger_requests (org_id, repository) VALUES ('acme', 'acme/shop')`);
    expect(shown(await exported('ledger=true')).at(-1)).toBe('end behind');
    expect(shown(await exported())).toEqual(['end']);
  });

  it('breaks the connection off when a store fails on the way, so that half an export never looks whole', async () => {
    const failing: Database = Object.assign(Object.create(forwards) as Database, {
      transaction: <T>(work: (tx: Transaction) => Promise<T>) =>
        forwards.transaction((tx) =>
          work({
            script: (sql) => tx.script(sql),
            query: (sql, params) =>
              sql.includes('FROM ai_attribution_daily')
                ? Promise.reject(new Error('the store went away'))
                : tx.query(sql, params),
          }),
        ),
    });
    const broken = await runApi(failing, { at: '2026-06-16T10:00:00Z' });
    const response = await broken.get('/api/v1/export');
    await expect(response.text()).rejects.toThrow();
    await broken.close();
  });

  it('exports more commits than fit in a page', async () => {
    await forwards.query(
      `INSERT INTO commits (org_id, repository, sha, project_id, user_id, author_name, author_email, parents,
         authored_at, committed_at)
       SELECT 'rival', 'rival/spy', lpad(to_hex(n), 40, '0'), 'spy', 'u', 'U', 'u', '{}', NOW(), NOW()
       FROM generate_series(1, 450) n`,
    );
    await forwards.query(
      `INSERT INTO commit_verdicts (org_id, policy_id, repository, commit_sha)
       SELECT org_id, 'default', repository, sha FROM commits WHERE org_id = 'rival'`,
    );
    await forwards.query(
      `INSERT INTO ai_attribution_daily (date, user_id, project_id, org_id, policy_id, total_commits)
       SELECT '2026-01-01'::date + n / 3, 'u' || n, 'spy', 'rival', 'default', 1 FROM generate_series(1, 2500) n`,
    );
    const lines = await exported('', 'rival');
    expect(lines.at(-1)).toEqual({ type: 'end', commits: 450, daily: 2500 });
    expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(lines.length);
  });
});
