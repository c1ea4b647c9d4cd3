import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverUrl } from '../stores';

const root = join(__dirname, '../..');

const run = promisify(execFile);
const bench = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const { stdout } = await run(process.execPath, [join(root, 'bench/run.mjs'), ...args, '--json'], {
    cwd: root,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
};

describe('npm run bench -- pipeline', () => {
  it('measures the six services under a small load and names the slowest stage', async () => {
    // A Redis database and a broker of its own: another installation's services would take its records.
    const redis = new URL(serverUrl('REDIS'));
    redis.pathname = '/9';
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(root, 'bench/run.mjs'),
        'pipeline',
        '--json',
        '--fingerprints',
        '100',
        '--commits',
        '24',
        '--spike',
        '1',
      ],
      {
        cwd: root,
        env: {
          ...process.env,
          LINEPRINT_REDIS_URL: redis.href,
          LINEPRINT_POSTGRES_URL: serverUrl('POSTGRES'),
        },
      },
    );
    const stages = ['ingest', 'indexer', 'commit-analyzer', 'line-attributor', 'rollup'];
    const answer = JSON.parse(stdout) as Record<string, unknown>;
    expect(answer).toMatchObject({ bench: 'pipeline', commits: 24 });
    for (const figure of ['fingerprintsPerSecond', 'commitsPerSecond', 'eventAgeP50Ms', 'eventAgeP99Ms']) {
      expect(answer[figure]).toBeGreaterThan(0);
    }
    expect(answer['spike']).toMatchObject({ lost: 0 });
    expect(stages).toContain(answer['slowestStage']);
    expect(Object.keys(answer['stages'] as object)).toEqual(stages);
  }, 120_000);
});

describe('npm run bench -- start', () => {
  it('measures a first and a second start, the database alone, and what the process holds', async () => {
    const answer = await bench('start', '--runs', '1', '--standalone');
    const start = { seconds: expect.any(Number), cpuSeconds: expect.any(Number) };
    expect(answer).toMatchObject({
      bench: 'start',
      runs: 1,
      cold: start,
      warm: start,
      database: { fromTemplate: start, opened: start },
      baseline: { created: start },
    });
    expect(answer['idleMb']).toBeGreaterThan(50);
  }, 300_000);
});

describe('npm run bench -- capacity', () => {
  it('plans by the assumptions that it is given', async () => {
    const [usual, busy] = await Promise.all([
      bench('capacity'),
      bench('capacity', '--commits-per-developer', '50', '--monorepo-share', '0'),
    ]);
    const commits = (answer: Record<string, unknown>) =>
      (answer['plans'] as { commitsPerDay: number }[]).map(({ commitsPerDay }) => commitsPerDay);
    expect(commits(usual)).toEqual([500, 5_000, 50_000, 500_000]);
    expect(commits(busy)).toEqual([5_000, 50_000, 500_000, 5_000_000]);
    expect(usual['keys']).toHaveLength(12);
  }, 120_000);

  it('refuses an assumption that is no number, and a document of other assumptions', async () => {
    await expect(bench('capacity', '--peak-factor', 'much')).rejects.toThrow(
      '--peak-factor much is no number',
    );
    await expect(bench('capacity', '--check', '--working-days', '7')).rejects.toThrow('no other options');
  }, 120_000);
});
