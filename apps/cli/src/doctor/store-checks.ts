import { deadLetterTopic, GROUPS, TOPICS, topicSpecs } from '@lineprint/contracts';
import type { EventLog } from '@lineprint/event-log';
import {
  backlog,
  type Database,
  databaseServer,
  decidedCount,
  loadProgress,
  positionOf,
  MIGRATIONS_DIRECTORY,
  migrationState,
  MOST_ORPHANS,
  openDatabase,
  orphanedRows,
} from '@lineprint/persistence';
import type { Config } from '@lineprint/platform';
import { atLeast } from './client-checks';
import { type Checks, failure, type Found, ok, skipped, warning } from './finding';

const MIN_POSTGRES = 15;
const MIN_REDIS = [7, 0];
/** Clocks that differ by more are set wrong: snippets from the future match nothing that is committed now. */
const LARGEST_SKEW_MS = 30_000;
const LONGEST_WAIT_MS = 60_000;
/** Of its memory that Redis may use: a full one takes no more postings, and the indexer stands still. */
const FULLEST_REDIS = 0.85;
const MEBIBYTE = 1024 * 1024;

/** Who reads what. */
const READERS = [
  [GROUPS.indexer, TOPICS.snippets],
  [GROUPS.commitAnalyzer, TOPICS.commits],
  [GROUPS.lineAttributor, TOPICS.candidates],
  [GROUPS.ledger, TOPICS.candidates],
  [GROUPS.rollupAttributions, TOPICS.attributions],
  [GROUPS.rollupActivity, TOPICS.activity],
] as const;

/**
 * The stores of an installation, from within.
 * @param mostLag records that a group may be behind
 */
export async function checkStores(checks: Checks, config: Config, mostLag: number): Promise<void> {
  const database = await checkDatabase(checks, config);
  await checkRecall(checks, config, database);
  const log = await checkLog(checks, config, database, mostLag);
  await log?.close().catch(() => undefined);
  await database?.close().catch(() => undefined);
}

/** @returns the database, open, where it is ours to ask further */
async function checkDatabase(checks: Checks, { databaseUrl }: Config): Promise<Database | undefined> {
  let database: Database | undefined;
  let isMigrated = false;
  await checks.run('database', async () => {
    try {
      database = await openDatabase(databaseUrl, { maxConnections: 2 });
      const { version, major, bytes } = await databaseServer(database);
      if (major < MIN_POSTGRES) {
        return failure(`Postgres ${version} is too old.`, `Lineprint needs ${MIN_POSTGRES} or newer.`);
      }
      return ok(`Postgres ${version} (${database.kind}), ${Math.ceil(bytes / MEBIBYTE)} MiB`);
    } catch (error) {
      await database?.close().catch(() => undefined);
      database = undefined;
      const { message } = error as Error;
      if (/is in use by process/.test(message)) {
        return skipped(
          `${message}. With --url and an API key that one is asked; its data can be checked while it is stopped.`,
        );
      }
      return failure(message, 'Look at LINEPRINT_DATABASE_URL, and whether the server is there.');
    }
  });
  const open = database;
  if (!open) return undefined;
  await checks.run('migrations', async () => {
    const state = await migrationState(open, MIGRATIONS_DIRECTORY);
    isMigrated = state.pending.length === 0 && state.unfinished.length === 0;
    return migrationFinding(state);
  });
  await checks.run('clock of the database', async () => {
    const before = Date.now();
    const { now } = await databaseServer(open);
    return clockFinding(now, before, Date.now());
  });
  if (!isMigrated) return open;
  await checks.run('waiting work', async () => backlogFinding(await backlog(open)));
  await checks.run('orphaned rows', async () => {
    const found = await orphanedRows(open, checks.limitMs);
    if (found.length === 0) return ok('none');
    const text = found.map(
      ({ what, rows }) => `${rows > MOST_ORPHANS ? `over ${MOST_ORPHANS}` : rows} ${what}`,
    );
    return warning(
      text.join('; '),
      'Somebody has changed the tables by hand, or a restoration is incomplete: restore a backup (docs/backup.md).',
    );
  });
  return open;
}

function migrationFinding(state: Awaited<ReturnType<typeof migrationState>>): Found {
  const { pending, unfinished, changed, unknown } = state;
  if (unfinished.length > 0) {
    return failure(`${unfinished.join(', ')} did not finish.`, 'Resolve it with `prisma migrate resolve`.');
  }
  if (changed.length > 0) {
    return failure(
      `${changed.join(', ')} was applied with other content than this release has.`,
      'Run the release that applied it, or put its file back.',
    );
  }
  if (pending.length > 0) {
    return failure(
      `${pending.length} are to be applied, from ${pending[0]} on.`,
      'Run `lineprint admin init`; services apply them when they start.',
    );
  }
  if (unknown.length > 0) {
    return warning(
      `The database has ${unknown.join(', ')}, which this release does not know.`,
      'A newer release has been here: use it (docs/upgrade.md says what goes back).',
    );
  }
  return ok('all applied');
}

/** @param before our clock before the server was asked. @param after and after its answer */
export function clockFinding(now: number, before: number, after: number): Found {
  const skew = Math.max(before - now, now - after, 0);
  if (skew <= LARGEST_SKEW_MS) return ok(`${Math.round(skew)} ms apart from ours`);
  return failure(
    `It is ${Math.round(skew / 1000)} s apart from ours.`,
    'Set the clocks of both machines (NTP).',
  );
}

function backlogFinding({ outbox, ledger, reanalysis }: Awaited<ReturnType<typeof backlog>>): Found {
  const detail = `outbox ${outbox.records}, commits to analyse again ${reanalysis.commits}, repositories of the ledger ${ledger}`;
  const oldest = Math.max(outbox.oldestMs, reanalysis.oldestMs);
  if (oldest <= LONGEST_WAIT_MS) return ok(detail);
  return warning(
    `${detail}; the oldest has waited ${Math.round(oldest / 1000)} s.`,
    outbox.oldestMs > LONGEST_WAIT_MS
      ? 'The log does not take what is written, or no service runs that relays it.'
      : 'Look at commit-analyzer.',
  );
}

async function checkRecall(checks: Checks, config: Config, database: Database | undefined): Promise<void> {
  const { recallUrl, recallBands, recallCa } = config;
  if (recallUrl === 'memory:') return;
  const { inspectRedis, openRecallIndex, recallVersion } = await import('@lineprint/recall');
  let isThere = false;
  await checks.run('recall index', async () => {
    let server: Awaited<ReturnType<typeof inspectRedis>>;
    try {
      server = await inspectRedis(recallUrl, recallCa);
    } catch (error) {
      return failure(
        (error as Error).message,
        'Look at LINEPRINT_RECALL_URL, and whether the server is there.',
      );
    }
    isThere = true;
    const { version, usedBytes, maxBytes } = server;
    if (!atLeast(version, MIN_REDIS))
      return failure(`Redis ${version} is too old.`, 'Lineprint needs 7.0 or newer.');
    const detail = `Redis ${version}, ${Math.ceil(usedBytes / MEBIBYTE)} MiB${maxBytes ? ` of ${Math.ceil(maxBytes / MEBIBYTE)}` : ''}`;
    if (maxBytes && usedBytes > FULLEST_REDIS * maxBytes) {
      return warning(`${detail}: nearly full.`, 'Give it more memory, or set LINEPRINT_RECALL_BANDS=false.');
    }
    return ok(detail);
  });
  if (!isThere) return;
  await checks.run('clock of Redis', async () => {
    const before = Date.now();
    const { now } = await inspectRedis(recallUrl, recallCa);
    return clockFinding(now, before, Date.now());
  });
  if (!database) return;
  await checks.run('coverage of the index', async () => {
    const index = await openRecallIndex(recallUrl, { version: recallVersion(recallBands), ca: recallCa });
    try {
      const { next, generation } = await index.coverage();
      const published = await loadProgress(database, GROUPS.indexer, TOPICS.snippets);
      return coverageFinding(published, generation === 0 ? new Map() : next);
    } finally {
      await index.close();
    }
  });
}

function coverageFinding(
  published: ReadonlyMap<number, number>,
  covered: ReadonlyMap<number, number>,
): Found {
  const missing = [...published].reduce(
    (sum, [partition, next]) => sum + Math.max(0, next - (covered.get(partition) ?? 0)),
    0,
  );
  if (missing === 0) return ok('it has all snippets of the database');
  return warning(
    `It lacks ${missing} records of snippets that the database has.`,
    'indexer fills it from the database within seconds, or minutes with millions of them: is it running?',
  );
}

/** @returns the log, open, to be closed */
async function checkLog(
  checks: Checks,
  config: Config,
  database: Database | undefined,
  mostLag: number,
): Promise<EventLog | undefined> {
  const { logUrl, kafka } = config;
  const isKafka = logUrl !== 'embedded:';
  const { inspectKafka, kafkaBrokers, openEventLog } = await import('@lineprint/event-log');
  let isThere = !isKafka;
  if (isKafka) {
    await checks.run('log', async () => {
      try {
        const specs = topicSpecs(config.partitions);
        const cluster = await inspectKafka(
          kafkaBrokers(logUrl),
          kafka,
          specs.map(({ name }) => name),
        );
        isThere = true;
        return topicsFinding(cluster, specs);
      } catch (error) {
        return failure(
          (error as Error).message,
          'Look at LINEPRINT_LOG_URL, and whether the brokers are there.',
        );
      }
    });
  }
  if (!isThere || !database) return undefined;
  let log: EventLog | undefined;
  await checks.run('consumers', async () => {
    log = await openEventLog(logUrl, { database, clientId: 'lineprint-doctor', kafka });
    return lagFinding(log, database, mostLag);
  });
  const open = log;
  if (!open) return undefined;
  await checks.run('dead letters', () => deadLetterFinding(open, database));
  await checks.run('clock of producers', () => producerClockFinding(open));
  return open;
}

type Cluster = Awaited<ReturnType<typeof import('@lineprint/event-log').inspectKafka>>;

function topicsFinding({ brokers, topics }: Cluster, specs: ReturnType<typeof topicSpecs>): Found {
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const { name, partitions, retentionMs } of specs) {
    const topic = byName.get(name);
    if (!topic) {
      errors.push(`${name} is missing`);
      continue;
    }
    if (topic.cleanupPolicy !== 'delete')
      errors.push(`${name} has cleanup.policy=${topic.cleanupPolicy}, not delete`);
    if (topic.partitions > partitions)
      errors.push(`${name} has ${topic.partitions} partitions, more than ${partitions}`);
    if (topic.partitions < partitions)
      warnings.push(`${name} has ${topic.partitions} of ${partitions} partitions`);
    if (topic.retentionMs !== -1 && topic.retentionMs < retentionMs) {
      warnings.push(`${name} has retention.ms=${topic.retentionMs}, less than ${retentionMs}`);
    }
    if (topic.retentionBytes !== -1)
      warnings.push(`${name} has retention.bytes=${topic.retentionBytes}, not -1`);
    if (topic.underReplicated > 0)
      warnings.push(`${name} has ${topic.underReplicated} under-replicated partitions`);
    if (brokers.length > 1 && topic.replication < 2) warnings.push(`${name} has one copy only`);
    if (topic.replication > 1 && topic.minInSync < 2) warnings.push(`${name} has min.insync.replicas=1`);
    if (topic.minInSync > topic.replication) {
      errors.push(
        `${name} has min.insync.replicas=${topic.minInSync} and ${topic.replication} copies: it takes nothing`,
      );
    }
  }
  const advice =
    '`lineprint admin topics` creates what is missing and adds partitions; change the rest with kafka-configs, as docs/configuration.md says.';
  if (errors.length > 0) return failure([...errors, ...warnings].join('; '), advice);
  if (warnings.length > 0) return warning(warnings.join('; '), advice);
  return ok(`Kafka, ${brokers.length} brokers, ${topics.length} topics as they are wanted`);
}

async function lagFinding(log: EventLog, database: Database, mostLag: number): Promise<Found> {
  const behind: string[] = [];
  const beyond: string[] = [];
  let total = 0;
  for (const [group, topic] of READERS) {
    const ends = await log.endOffsets(topic);
    const beginnings = await log.beginningOffsets(topic);
    const committed = await log.committed(group, topic);
    const progress = await loadProgress(database, positionOf(group), topic);
    const lag = ends.reduce(
      (sum, end, i) => sum + Math.max(0, end - Math.max(committed[i] ?? 0, beginnings[i] ?? 0)),
      0,
    );
    total += lag;
    if (lag > mostLag) behind.push(`${group}: ${lag} records of ${topic}`);
    if ([...progress].some(([partition, next]) => next > (ends[partition] ?? 0)))
      beyond.push(`${group} in ${topic}`);
  }
  if (beyond.length > 0) {
    return failure(
      `The database has effects of records that the log does not have: ${beyond.join('; ')}.`,
      'This is another log than the one that the database was filled from, or it has lost records: see "When Kafka is lost" in docs/backup.md.',
    );
  }
  if (behind.length > 0) {
    return warning(`Behind: ${behind.join('; ')}.`, 'See LineprintEventsOld in docs/runbook.md.');
  }
  return ok(total === 0 ? 'nothing waits' : `${total} records wait`);
}

async function deadLetterFinding(log: EventLog, database: Database): Promise<Found> {
  const open: string[] = [];
  for (const topic of Object.values(TOPICS)) {
    const name = deadLetterTopic(topic);
    const [beginnings, ends] = [await log.beginningOffsets(name), await log.endOffsets(name)];
    const kept = ends.reduce((sum, end, i) => sum + end - (beginnings[i] ?? 0), 0);
    const count = kept - (await decidedCount(database, name, beginnings));
    if (count > 0) open.push(`${count} of ${topic}`);
  }
  if (open.length === 0) return ok('none is open');
  return warning(`Open: ${open.join('; ')}.`, '`lineprint dlq list` shows them.');
}

/** A record from the future was written by a machine whose clock is ahead of ours. */
async function producerClockFinding(log: EventLog): Promise<Found> {
  for (const topic of Object.values(TOPICS)) {
    const ends = await log.endOffsets(topic);
    const future = await log.offsetsAt(topic, Date.now() + LARGEST_SKEW_MS);
    if (future.some((offset, i) => offset < (ends[i] ?? 0))) {
      return failure(
        `${topic} has records that are more than ${LARGEST_SKEW_MS / 1000} s ahead of our clock.`,
        'Set the clocks of the machines that run Lineprint and of this one (NTP).',
      );
    }
  }
  return ok('no record is ahead of our clock');
}
