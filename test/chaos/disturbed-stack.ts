import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventLog, openEventLog } from '@lineprint/event-log';
import { type Database, openDatabase } from '@lineprint/persistence';
import { RepeatedBackfill } from '../repeated-backfill';
import { type RunningStack, startStack } from '../stack';
import { serverUrl } from '../stores';
import { failpointEnvironment, until } from './failpoint';
import { everythingIsRead, storedTables } from './stored-state';

/** A stack whose processes obey failpoints, and a history that has been sent to it once without trouble. */
export class DisturbedStack {
  private constructor(
    /** Where failpoints are armed. */
    readonly folder: string,
    readonly stack: RunningStack,
    /** The stack's, reached by a way that stays open. */
    readonly database: Database,
    readonly log: EventLog,
    readonly backfill: RepeatedBackfill,
    /** What `storedTables` says of an organisation to whose history nothing has happened. */
    readonly undisturbed: Record<string, string[]>,
  ) {}

  /**
   * @param commits of the history
   * @param env more settings for every service
   */
  static async start(commits: number, env: Record<string, string> = {}): Promise<DisturbedStack> {
    const folder = await mkdtemp(join(tmpdir(), 'lineprint-failpoints-'));
    const name = `chaos_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const stack = await startStack({
      database: name,
      env: { LINEPRINT_ORG_ID: name, ...failpointEnvironment(folder), ...env },
    });
    try {
      return await DisturbedStack.prepare(folder, name, stack, commits);
    } catch (error) {
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private static async prepare(
    folder: string,
    name: string,
    stack: RunningStack,
    commits: number,
  ): Promise<DisturbedStack> {
    const direct = new URL(serverUrl('POSTGRES'));
    direct.pathname = `/${name}`;
    const database = await openDatabase(direct.href, { maxConnections: 2 });
    const log = await openEventLog(stack.kafkaUrl, { database, clientId: 'lineprint-test' });
    const backfill = await RepeatedBackfill.prepare(stack, database, commits);
    await until(() => everythingIsRead(log, database));
    const undisturbed = await storedTables(database, backfill.undisturbed.orgId);
    return new DisturbedStack(folder, stack, database, log, backfill, undisturbed);
  }

  /** Waits until everything that was sent has had its effects. */
  read(): Promise<void> {
    return until(() => everythingIsRead(this.log, this.database));
  }

  async stop(): Promise<void> {
    await this.log.close();
    await this.database.close();
    await this.stack.stop();
    await this.backfill.remove();
    await rm(this.folder, { recursive: true, force: true });
  }
}
