import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bootstrap, type Database, generateApiKey } from '@lineprint/persistence';
import { generateHistory } from './history';
import { LINE_KEY, lineprintOutput, Program, StandaloneServer } from './programs';
import type { RunningStack } from './stack';

/** Something goes wrong once so many commits have their result. */
const DISTURB_AFTER = 20;

/** One history that is sent again and again while something goes wrong, and what it gives when nothing does. */
export class RepeatedBackfill {
  readonly commits = 240;
  /** The export of an undisturbed run on embedded adapters. */
  undisturbed = '';

  private constructor(private readonly directory: string) {}

  static async prepare(): Promise<RepeatedBackfill> {
    const backfill = new RepeatedBackfill(await mkdtemp(join(tmpdir(), 'lineprint-repeated-')));
    await generateHistory(backfill.repository, backfill.commits, 7);
    const apiKey = generateApiKey();
    const embedded = await StandaloneServer.start(backfill.directory, apiKey);
    try {
      const options = ['--url', embedded.url, '--api-key', apiKey];
      await lineprintOutput(backfill.command(options), backfill.state('undisturbed'));
      backfill.undisturbed = await lineprintOutput(['export', '--json', ...options]);
    } finally {
      await embedded.stop();
    }
    return backfill;
  }

  /**
   * Sends the history for an organisation of its own, so that nothing of an earlier run can fill a gap.
   * @param disturb called in the middle
   * @param database the stack's, reached by a way that stays open
   * @returns the export, and how many commits had their result when `disturb` was called
   * @throws Error with what the command line said when it did not exit with 0
   */
  async send(
    stack: RunningStack,
    database: Database,
    disturb: () => Promise<void>,
  ): Promise<{ exported: string; before: number }> {
    const orgId = `disturbed-${randomUUID()}`;
    const { apiKey } = await bootstrap(database, { orgId, lineKey: LINE_KEY, timeZone: 'UTC' });
    const { ingest, 'query-api': queryApi } = stack.services;
    const options = ['--url', ingest.url, '--query-url', queryApi.url, '--api-key', apiKey!];
    const running = new Program('cli', this.command(options), this.state(orgId));
    while ((await analysed(database, orgId)) < DISTURB_AFTER && !running.hasEnded) await delay(10);
    const before = await analysed(database, orgId);
    await disturb();
    const { code, stderr } = await running.ended;
    if (code !== 0) throw new Error(`The backfill ended with ${code}. It said:\n${stderr}`);
    return { exported: await lineprintOutput(['export', '--json', ...options]), before };
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }

  private get repository(): string {
    return join(this.directory, 'history');
  }

  private command(options: readonly string[]): string[] {
    return ['backfill', '--repo', this.repository, ...options];
  }

  private state(run: string): Record<string, string> {
    return { LINEPRINT_STATE_DIRECTORY: join(this.directory, run) };
  }
}

async function analysed(database: Database, orgId: string): Promise<number> {
  const [row] = await database.query<{ commits: number }>(
    'SELECT COUNT(*) AS commits FROM commits WHERE org_id = $1',
    [orgId],
  );
  return row!.commits;
}
