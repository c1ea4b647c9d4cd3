import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@lineprint/persistence';
import { RepeatedBackfill } from '../repeated-backfill';
import { type RunningStack, type ServiceName, startStack } from '../stack';

/** One process after another is killed (-9) in the middle of a backfill and started again. */
describe('a process killed in the middle of a backfill', () => {
  let backfill: RepeatedBackfill;
  let stack: RunningStack;
  let database: Database;

  beforeAll(async () => {
    backfill = await RepeatedBackfill.prepare();
    const name = `kill_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    stack = await startStack({ database: name, env: { LINEPRINT_ORG_ID: name } });
    database = await openDatabase(stack.databaseUrl, { maxConnections: 2 });
  }, 240_000);
  afterAll(async () => {
    await database?.close();
    await stack?.stop();
    await backfill?.remove();
  }, 60_000);

  it.each<ServiceName>(['ingest', 'indexer', 'commit-analyzer', 'line-attributor', 'rollup', 'query-api'])(
    '(%s) loses nothing and doubles nothing: the export is that of an undisturbed run',
    async (service) => {
      const { exported, before } = await backfill.send(stack, database, async () => {
        stack.kill(service);
        await stack.restart(service);
      });
      expect(exported).toBe(backfill.undisturbed);
      // Killed after the end, the run would have proved nothing.
      expect(before).toBeLessThan(backfill.commits);
    },
    150_000,
  );
});
