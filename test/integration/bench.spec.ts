import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverUrl } from '../stores';

const root = join(__dirname, '../..');

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
