import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, type Database, generateApiKey, openDatabase } from '@lineprint/persistence';
import { generateHistory } from '../history';
import { LINE_KEY, lineprintOutput, Program, StandaloneServer } from '../programs';
import { type RunningStack, type ServiceName, startStack } from '../stack';

const COMMITS = 240;
/** A process dies once so many commits have their result. */
const KILL_AFTER = 20;

/**
 * One process after another is killed (-9) in the middle of a backfill and started again. Each run belongs to
 * an organisation of its own, so that nothing of an earlier run can fill a gap.
 */
describe('a process killed in the middle of a backfill', () => {
  let directory: string;
  let repository: string;
  let stack: RunningStack;
  let database: Database;
  let undisturbed: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lineprint-kill-'));
    repository = join(directory, 'history');
    await generateHistory(repository, COMMITS, 7);
    const apiKey = generateApiKey();
    const embedded = await StandaloneServer.start(directory, apiKey);
    try {
      const options = ['--url', embedded.url, '--api-key', apiKey];
      await lineprintOutput(['backfill', '--repo', repository, ...options], state('undisturbed'));
      undisturbed = await lineprintOutput(['export', '--json', ...options]);
    } finally {
      await embedded.stop();
    }
    const name = `kill_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    stack = await startStack({ database: name, env: { LINEPRINT_ORG_ID: name } });
    database = await openDatabase(stack.databaseUrl, { maxConnections: 2 });
  }, 240_000);
  afterAll(async () => {
    await database?.close();
    await stack?.stop();
    await rm(directory, { recursive: true, force: true });
  }, 60_000);

  function state(run: string): Record<string, string> {
    return { LINEPRINT_STATE_DIRECTORY: join(directory, run) };
  }

  async function analysed(orgId: string): Promise<number> {
    const [row] = await database.query<{ commits: number }>(
      'SELECT COUNT(*) AS commits FROM commits WHERE org_id = $1',
      [orgId],
    );
    return row!.commits;
  }

  it.each<ServiceName>(['ingest', 'indexer', 'commit-analyzer', 'line-attributor', 'rollup', 'query-api'])(
    '(%s) loses nothing and doubles nothing: the export is that of an undisturbed run',
    async (service) => {
      const orgId = `killed-${service}`;
      const { apiKey } = await bootstrap(database, { orgId, lineKey: LINE_KEY, timeZone: 'UTC' });
      const url = stack.services.ingest.url;
      const options = ['--url', url, '--query-url', stack.services['query-api'].url, '--api-key', apiKey!];
      const running = new Program('cli', ['backfill', '--repo', repository, ...options], state(service));
      while ((await analysed(orgId)) < KILL_AFTER && !running.hasEnded) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      stack.kill(service);
      const atKill = await analysed(orgId);
      await stack.restart(service);
      const { code, stderr } = await running.ended;
      expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
      const exported = await lineprintOutput(['export', '--json', ...options]);
      expect(exported).toBe(undisturbed);
      // Killed after the end, the run would have proved nothing.
      expect(atKill).toBeLessThan(COMMITS);
    },
    150_000,
  );
});
