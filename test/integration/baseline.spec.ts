import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeLineChange } from '@lineprint/commit-analyzer';
import { generateApiKey, openDatabase } from '@lineprint/persistence';
import { generateHistory } from '../history';
import { lineprintOutput, StandaloneServer } from '../programs';

const COMMITS = 60;
const NEWEST = 5;

/** What an installation has counted of the repository by the end. */
interface Counted {
  readonly ids: string[];
  readonly total: number;
  readonly lines: [bigint, number][];
}

jest.setTimeout(120_000);

describe('a repository that is connected in the middle of its history', () => {
  let directory: string;
  let repository: string;
  const shas = () =>
    execFileSync('git', ['rev-list', '--reverse', 'HEAD'], { cwd: repository, encoding: 'utf8' })
      .trim()
      .split('\n');

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lineprint-baseline-'));
    repository = join(directory, 'history');
    await generateHistory(repository, COMMITS, 3);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  /** Runs commands against an installation of their own, then looks into its database. */
  async function countedAfter(name: string, ...commands: string[][]): Promise<Counted> {
    const home = join(directory, name);
    const apiKey = generateApiKey();
    const server = await StandaloneServer.start(home, apiKey);
    try {
      for (const [command, ...options] of commands) {
        await lineprintOutput(
          [command!, '--repo', repository, '--url', server.url, '--api-key', apiKey, '--json', ...options],
          { LINEPRINT_STATE_DIRECTORY: home },
        );
      }
    } finally {
      await server.stop();
    }
    const database = await openDatabase(`pglite:${join(home, 'database')}`);
    try {
      const rows = await database.query<{ change_id: string; change: Uint8Array }>(
        'SELECT change_id, change FROM repository_line_changes ORDER BY position',
      );
      const lines = new Map<bigint, number>();
      let total = 0;
      for (const change of rows.map((row) => decodeLineChange(row.change))) {
        total += change.total;
        for (const [hash, more] of change.lines) lines.set(hash, (lines.get(hash) ?? 0) + more);
      }
      return {
        ids: rows.map((row) => row.change_id),
        total,
        lines: [...lines].filter(([, count]) => count !== 0).sort(([a], [b]) => (a < b ? -1 : 1)),
      };
    } finally {
      await database.close();
    }
  }

  it('has by its baseline the counts that its whole history would have given, and gets it once', async () => {
    const range = ['--range', `HEAD~${NEWEST}..HEAD`];
    const whole = await countedAfter('whole', ['backfill']);
    const pushed = await countedAfter('pushed', ['push', ...range], ['push', ...range], ['backfill']);
    expect(whole.ids).toEqual(shas());
    const [base, ...newest] = shas().slice(-NEWEST - 1);
    // What is sent later and stands in the baseline has its place, and changes nothing.
    expect(pushed.ids).toEqual([`${base}+0`, ...newest, ...shas().slice(0, -NEWEST)]);
    expect(pushed.total).toBe(whole.total);
    expect(pushed.lines).toEqual(whole.lines);
    expect(whole.total).toBeGreaterThan(100);
  });
});
