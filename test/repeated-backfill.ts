import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bootstrap, type Database } from '@lineprint/persistence';
import { generateHistory } from './history';
import { LINE_KEY, lineprintOutput, Program } from './programs';
import type { RunningStack } from './stack';

/** Something goes wrong once so many commits have their result. */
const DISTURB_AFTER = 20;

/** One run of the history. */
export interface SentHistory {
  /** An organisation of its own, so that nothing of an earlier run can fill a gap. */
  readonly orgId: string;
  readonly exported: string;
  /** How many commits had their result when it was disturbed. */
  readonly before: number;
}

/** One history that is sent again and again while something goes wrong, and what it gives when nothing does. */
export class RepeatedBackfill {
  private constructor(
    private readonly directory: string,
    private readonly stack: RunningStack,
    private readonly database: Database,
    readonly commits: number,
    /** What a run gives in which nothing goes wrong. */
    readonly undisturbed: SentHistory & { readonly fingerprints: number },
  ) {}

  /**
   * Makes the history and sends it for the first time.
   *
   * @param database the stack's, reached by a way that stays open
   */
  static async prepare(stack: RunningStack, database: Database, commits: number): Promise<RepeatedBackfill> {
    const directory = await mkdtemp(join(tmpdir(), 'lineprint-repeated-'));
    await generateHistory(join(directory, NAME), commits, 7);
    const { json, ...first } = await send(directory, stack, database, () => Promise.resolve());
    const { sent } = JSON.parse(json) as { sent: { commits: number; fingerprints: number } };
    if (sent.commits !== commits) throw new Error(`${sent.commits} of ${commits} commits were sent`);
    const undisturbed = { ...first, fingerprints: sent.fingerprints };
    return new RepeatedBackfill(directory, stack, database, commits, undisturbed);
  }

  /**
   * Sends the history again.
   * @param disturb called in the middle
   * @throws Error with what the command line said when it failed otherwise than for want of a server
   */
  send(disturb: (orgId: string) => Promise<void>): Promise<SentHistory> {
    return send(this.directory, this.stack, this.database, disturb);
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }
}

/** What results call the repository. */
const NAME = 'history';

async function send(
  directory: string,
  stack: RunningStack,
  database: Database,
  disturb: (orgId: string) => Promise<void>,
): Promise<SentHistory & { json: string }> {
  const orgId = `org-${randomUUID()}`;
  const { apiKey } = await bootstrap(database, { orgId, lineKey: LINE_KEY, timeZone: 'UTC' });
  const { ingest, 'query-api': queryApi } = stack.services;
  const options = ['--url', ingest.url, '--query-url', queryApi.url, '--api-key', apiKey!];
  let over = false;
  const backfill = untilServed(
    ['backfill', '--json', '--repo', join(directory, NAME), ...options],
    join(directory, orgId),
  ).finally(() => (over = true));
  while ((await analysed(database, orgId)) < DISTURB_AFTER && !over) await delay(10);
  const before = await analysed(database, orgId);
  await disturb(orgId);
  const json = await backfill;
  return { orgId, before, json, exported: await lineprintOutput(['export', '--json', ...options]) };
}

/** Starts the command again, as a person would, when it gave up on a server that was away for long. */
async function untilServed(args: string[], state: string): Promise<string> {
  for (;;) {
    const { code, stdout, stderr } = await new Program('cli', args, { LINEPRINT_STATE_DIRECTORY: state })
      .ended;
    if (code === 0) return stdout;
    if (!stderr.includes('server-unavailable')) {
      throw new Error(`The backfill ended with ${code}. It said:\n${stderr}`);
    }
  }
}

async function analysed(database: Database, orgId: string): Promise<number> {
  const [row] = await database.query<{ commits: number }>(
    'SELECT COUNT(*) AS commits FROM commits WHERE org_id = $1',
    [orgId],
  );
  return row!.commits;
}
