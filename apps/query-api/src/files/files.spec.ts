import { DEFAULT_POLICY } from '@lineprint/contracts';
import type { Database } from '@lineprint/persistence';
import { seedRandomLedger } from '../testing/random-ledger';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, shaOf } from '../testing/seed';
import { seedRuns } from '../testing/seed-ledger';
import { fileListAnswer, type FileListAnswer, fileOrders, type ListedFile } from './files.schema';

let database: Database;
let api: RunningApi;
/** A file with lines of Ada's. */
let known: string;
const list = (query: string, key?: string) =>
  api.json<FileListAnswer>(`/api/v1/files?repository=acme/shop${query}`, key);

beforeAll(async () => {
  database = await openSeededDatabase();
  await seedRandomLedger(database, 23);
  await seedCommit(database, { sha: shaOf('c1'), day: '2026-05-01' });
  await seedCommit(database, { sha: shaOf('c2'), day: '2026-05-02', user: 'bob@acme.dev' });
  const [ofAda] = await database.query<{ path: string }>(
    `SELECT MIN(path) AS path FROM head_file_lines WHERE user_id = 'ada@acme.dev' AND org_id = 'acme'
       AND repository = 'acme/shop' AND ref = 'refs/heads/main' AND policy_id = '${DEFAULT_POLICY.id}'`,
  );
  known = ofAda!.path;
  await seedRuns(database, known, [
    { count: 3, commit: shaOf('c2') },
    { count: 2 },
    { count: 1, commit: shaOf('c1') },
  ]);
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

type Figures = Pick<ListedFile, 'path' | 'lines' | 'preserved' | 'modified' | 'human' | 'unknown'>;

/** Each file's lines that a condition is true of. */
async function counted(condition: string): Promise<Figures[]> {
  const of = (kind: string) => `COALESCE(SUM(CASE WHEN kind = '${kind}' THEN lines END), 0)`;
  return (await database.query(`
    SELECT path, SUM(lines) AS lines, ${of('P')} AS preserved, ${of('M')} AS modified, ${of('H')} AS human,
      ${of('U')} AS unknown
    FROM head_file_lines
    WHERE org_id = 'acme' AND policy_id = '${DEFAULT_POLICY.id}' AND repository = 'acme/shop' AND (${condition})
    GROUP BY path`)) as unknown as Figures[];
}

const figuresOf = ({ path, lines, preserved, modified, human, unknown }: ListedFile): Figures => ({
  path,
  lines,
  preserved,
  modified,
  human,
  unknown,
});
const byPath = (files: readonly Figures[]) =>
  new Map(files.map((file) => [file.path, file] as const).sort(([a], [b]) => (a < b ? -1 : 1)));

describe('GET /api/v1/files', () => {
  it('lists the files at the tip of the default branch with their lines', async () => {
    const answer = await list('');
    expect(fileListAnswer.parse(answer)).toEqual(answer);
    expect(answer.head).toMatchObject({ ref: 'refs/heads/main', commit: shaOf('a0') });
    expect(byPath(answer.files.map(figuresOf))).toEqual(byPath(await counted(`ref = 'refs/heads/main'`)));
    expect(answer.next).toBeNull();
  });

  it('lists those of another branch that counts, or of a folder', async () => {
    const next = await list('&ref=refs/heads/next');
    expect(byPath(next.files.map(figuresOf))).toEqual(byPath(await counted(`ref = 'refs/heads/next'`)));
    const folder = await list('&folder=src');
    expect(byPath(folder.files.map(figuresOf))).toEqual(
      byPath(await counted(`ref = 'refs/heads/main' AND path ~ '^src/'`)),
    );
  });

  it.each(fileOrders)('pages through all of them once each, by %s', async (sort) => {
    const all = (await list(`&sort=${sort}`)).files;
    const rank = (file: ListedFile) =>
      ({ lines: file.lines, ai: file.weighted, ratio: file.ratio, path: 0 })[sort];
    expect(all).toEqual([...all].sort((a, b) => rank(b) - rank(a) || (a.path < b.path ? -1 : 1)));
    const seen: ListedFile[] = [];
    let after = '';
    for (;;) {
      const { files, next } = await list(`&sort=${sort}&limit=2${after}`);
      seen.push(...files);
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(seen).toEqual(all);
  });

  it('names the newest commit with a line in the file', async () => {
    const fileOf = async (key?: string) => (await list('', key)).files.find(({ path }) => path === known);
    expect((await fileOf())?.lastCommit).toEqual({
      commit: shaOf('c2'),
      at: '2026-05-02T12:00:00.000Z',
      userId: 'bob@acme.dev',
    });
    expect((await fileOf('ada'))?.lastCommit).toMatchObject({ commit: shaOf('c1'), userId: 'ada@acme.dev' });
  });

  it('shows a personal key the files with lines of its person, and those lines only', async () => {
    const { files } = await list('', 'ada');
    expect(byPath(files.map(figuresOf))).toEqual(
      byPath(await counted(`ref = 'refs/heads/main' AND user_id = 'ada@acme.dev' AND kind <> 'U'`)),
    );
  });

  it('shows nothing of another organisation, or of a repository without a ledger', async () => {
    const rival = await list('', 'rival');
    expect(rival.head).toMatchObject({ commit: shaOf('a3') });
    expect(await api.json('/api/v1/files?repository=acme/docs', 'rival')).toEqual({
      head: null,
      files: [],
      next: null,
    });
  });

  it('names the next page of CSV in a header', async () => {
    const response = await api.get('/api/v1/files?repository=acme/shop&sort=path&limit=2&format=csv');
    const lines = (await response.text()).trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    const next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
    const second = await (await api.get(next)).text();
    const paths = (await list('&sort=path&limit=4')).files.map(({ path }) => path);
    expect(
      [...lines.slice(1), ...second.trimEnd().split('\r\n').slice(1)].map((line) => line.split(',')[0]),
    ).toEqual(paths);
  });

  it.each(['', '?repository=acme/shop&sort=size', '?repository=acme/shop&after=x'])(
    'refuses “%s”',
    async (query) => {
      expect(await api.problem(`/api/v1/files${query}`)).toMatchObject({ code: 'parameters-invalid' });
    },
  );
});
