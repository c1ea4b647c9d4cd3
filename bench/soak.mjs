/**
 * The six services on Kafka, Redis and Postgres of their own under a mixed load, for minutes: in the first half processes
 * are killed at random and start again, in the second all run on, and their memory is to stay level. Then nothing may be lost:
 * the export is that of one process, embedded, which is sent the same undisturbed.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LineprintClient } from '@lineprint/capture';
import { deadLetterTopic, GROUPS, TOPICS } from '@lineprint/contracts';
import { openEventLog } from '@lineprint/event-log';
import { deriveLineKey } from '@lineprint/fingerprint';
import { loadProgress, openDatabase } from '@lineprint/persistence';
import { startServers } from '../tools/servers.mjs';
import { root } from '../tools/setup.mjs';
import { serviceNames, startStack } from '../tools/stack.mjs';
import random from './dist/accuracy/self-made/random.js';
import { Load } from './pipeline/load.mjs';
import { descendants, processes } from './pipeline/processes.mjs';
import { LINE_KEY, withServer } from './server.mjs';
import { round, table } from './table.mjs';

const run = promisify(execFile);
const ORGANISATION = 'default';
const READERS = [
  [GROUPS.indexer, TOPICS.snippets],
  [GROUPS.commitAnalyzer, TOPICS.commits],
  [GROUPS.lineAttributor, TOPICS.candidates],
  [GROUPS.ledger, TOPICS.candidates],
  [GROUPS.rollupAttributions, TOPICS.attributions],
];
/** Of each round: commits with their fingerprints, and fingerprints that are never committed. */
const ROUND = { commits: 10, drafts: 10 };
const QUERIES = [
  `/api/v1/stats/ai-attribution?scope=organization&period=30d`,
  '/api/v1/commits?limit=50',
  '/api/v1/summary?period=30d',
];
const QUERY_EVERY_MS = 1_000;
/** Between two kills, seconds. */
const KILL_EVERY = { least: 8, most: 25 };
const SAMPLE_MS = 2_000;
/** Of the second half, before memory counts: caches and pools fill again after the last restart. */
const SETTLING_SHARE = 0.2;
const LOOK_MS = 500;
/** Replays in the first half, evenly. */
const REPLAYS = 2;
const MEBIBYTE = 1024 * 1024;

export async function measure({ minutes = '30', rate = '5', seed = String(Date.now() % 1_000_000) }) {
  const [seconds, pace] = [60 * positive(minutes, 'minutes'), positive(rate, 'rate')];
  const began = performance.now();
  const log = (line) => console.error(`${round((performance.now() - began) / 1000, 1)} s: ${line}`);
  log(`--seed ${seed} repeats the load and the order of the kills`);
  const servers = await startServers({ kafka: true, redis: true, postgres: true, prefix: 'LINEPRINT_', log });
  let stack;
  let soak;
  try {
    stack = await startStack({
      servers,
      database: `soak_${randomUUID().replaceAll('-', '')}`,
      env: {
        LINEPRINT_LOG_LEVEL: 'warn',
        LINEPRINT_ORG_ID: ORGANISATION,
        LINEPRINT_BOOTSTRAP_LINE_KEY: LINE_KEY,
      },
    });
    soak = await Soak.open(stack, Number(seed), log);
    return { seed: Number(seed), minutes: seconds / 60, ...(await soak.run(seconds, pace)) };
  } finally {
    await soak?.close();
    await stack?.stop();
    await servers.stop();
  }
}

function positive(text, name) {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} ${text} is no number above 0.`);
  return number;
}

/** The load in rounds, the same for the same seed; a round that was not answered is sent again. */
class Sender {
  constructor({ url, apiKey, seed, lineKey }) {
    this.client = new LineprintClient({ url, apiKey });
    this.load = new Load({ seed, lineKey });
    this.rounds = 0;
    this.commits = 0;
    this.fingerprints = 0;
    this.repeated = 0;
  }

  async round() {
    const begin = this.load.now;
    const made = Array.from({ length: ROUND.commits }, () => this.load.commit());
    const captured = made.flatMap(({ fingerprints }) => fingerprints);
    captured.push(...this.load.fingerprints(ROUND.drafts, begin));
    await this.sent(() => this.client.sendFingerprints(captured));
    await this.sent(() => this.client.sendCommits(made.map(({ commit }) => commit)));
    this.rounds += 1;
    this.commits += made.length;
    this.fingerprints += captured.length;
  }

  async sent(request) {
    for (;;) {
      let answer;
      try {
        answer = await request();
      } catch {
        // The door is shut: a client keeps what it has, and knocks again.
        this.repeated += 1;
        await delay(LOOK_MS);
        continue;
      }
      const [refused] = answer.rejected;
      if (refused) throw new Error(`ingest refused ${answer.rejected.length}: ${refused.detail}`);
      return;
    }
  }
}

class Soak {
  static async open(stack, seed, say) {
    const soak = new Soak();
    Object.assign(soak, { stack, seed, say, random: new random.SeededRandom(seed + 1) });
    soak.database = await openDatabase(stack.databaseUrl, { maxConnections: 2 });
    soak.log = await openEventLog(stack.kafkaUrl, { database: soak.database, clientId: 'lineprint-soak' });
    soak.lineKey = deriveLineKey(Buffer.from(stack.lineKey, 'base64'), stack.keyId);
    const { ingest } = stack.services;
    soak.sender = new Sender({ url: ingest.url, apiKey: stack.apiKey, seed, lineKey: soak.lineKey });
    return soak;
  }

  async close() {
    await this.log.close();
    await this.database.close();
  }

  async run(seconds, pace) {
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    const half = seconds / 2;
    const samples = Object.fromEntries(serviceNames.map((name) => [name, []]));
    const counts = { queries: 0, queriesFailed: 0, kills: {}, replays: 0 };
    const until = (end, everyMs, work) =>
      (async () => {
        while (elapsed() < end) {
          await work();
          await delay(everyMs());
        }
      })();
    const level = half + half * SETTLING_SHARE;
    await Promise.all([
      until(
        seconds,
        () => Math.max(0, (this.sender.commits / pace - elapsed()) * 1000),
        () => this.sender.round(),
      ),
      until(
        seconds,
        () => QUERY_EVERY_MS,
        () => this.query(counts),
      ),
      until(
        half,
        () => 1000 * this.random.between(KILL_EVERY.least, KILL_EVERY.most),
        () => this.kill(counts),
      ),
      until(
        half,
        () => (half / REPLAYS) * 1000,
        () => this.replay(counts),
      ),
      until(
        seconds,
        () => SAMPLE_MS,
        () => {
          if (elapsed() > level) this.sample(samples, elapsed());
        },
      ),
    ]);
    const { commits, fingerprints, rounds, repeated } = this.sender;
    this.say(`${commits} commits and ${fingerprints} fingerprints are sent; waiting for their results`);
    await this.settled();
    const drained = elapsed() - seconds;
    const lost = await this.lost();
    const exported = await this.lineprint('export', '--json');
    const differences = await this.reconciled();
    this.say(`the same ${rounds} rounds are sent to one process, undisturbed`);
    const undisturbed = await this.undisturbed(rounds, commits);
    return {
      commits,
      fingerprints,
      repeatedRequests: repeated,
      ...counts,
      drainSeconds: round(Math.max(0, drained), 1),
      ...lost,
      reconciliationDifferences: differences,
      exportBytes: exported.length,
      exportIsThatOfAnUndisturbedRun: exported === undisturbed,
      memory: Object.fromEntries(Object.entries(samples).map(([name, some]) => [name, memoryOf(some)])),
    };
  }

  async query(counts) {
    const path = QUERIES[counts.queries % QUERIES.length];
    counts.queries += 1;
    try {
      const { services, apiKey } = this.stack;
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(`${services['query-api'].url}${path}`, { headers });
      await answer.arrayBuffer();
      if (answer.status >= 400 && answer.status < 500)
        throw new TypeError(`${path} is answered with ${answer.status}`);
      if (!answer.ok) counts.queriesFailed += 1;
    } catch (error) {
      // A query API that was just killed does not answer; a question that it does not understand is ours to mend.
      if (error instanceof TypeError && /is answered/.test(error.message)) throw error;
      counts.queriesFailed += 1;
    }
  }

  async kill({ kills }) {
    const name = this.random.pick(serviceNames);
    this.say(`kill -9 of ${name}`);
    await this.stack.services[name].kill('SIGKILL');
    kills[name] = (kills[name] ?? 0) + 1;
    await this.stack.services[name].start();
  }

  /** Judges all there is under another policy, beside the live one. */
  async replay(counts) {
    const policy = `soak-${counts.replays + 1}`;
    counts.replays += 1;
    await this.patiently('policy', 'create', policy, '--set', `thresholds.minBits=${30 + counts.replays}`);
    await this.patiently('replay', 'start', '--policy', policy);
  }

  /** A command that finds no server is given again; one that has worked and was not answered is as good as done. */
  async patiently(...args) {
    for (;;) {
      try {
        return await this.lineprint(...args);
      } catch (error) {
        const { stderr = '' } = error;
        if (/policy-exists|replay-exists|replay-running/.test(stderr)) return '';
        if (!/server-unavailable|unavailable|fetch failed/.test(stderr)) throw error;
        await delay(LOOK_MS);
      }
    }
  }

  sample(samples, at) {
    const all = processes();
    for (const name of serviceNames) {
      const pids = descendants(all, this.stack.services[name].pid);
      const bytes = [...pids].reduce((sum, pid) => sum + residentBytes(pid), 0);
      if (bytes > 0) samples[name].push({ at, bytes });
    }
  }

  async settled() {
    while (!(await this.isRead())) await delay(LOOK_MS);
  }

  /** As test/chaos has it: offsets and progress are at the ends, no table has anything waiting, no topic has grown meanwhile. */
  async isRead() {
    const ends = await this.ends();
    for (const [group, topic] of READERS) {
      const committed = await this.log.committed(group, topic);
      const progress = await loadProgress(this.database, group, topic);
      for (const [partition, end] of ends[topic].entries()) {
        if (committed[partition] !== end || (progress.get(partition) ?? 0) !== end) return false;
      }
    }
    const [{ waits }] = await this.database.query(`
      SELECT EXISTS (SELECT 1 FROM outbox) OR EXISTS (SELECT 1 FROM reanalysis_requests)
          OR EXISTS (SELECT 1 FROM ledger_requests)
          OR EXISTS (SELECT 1 FROM replays WHERE status = 'running') AS waits`);
    return !waits && JSON.stringify(await this.ends()) === JSON.stringify(ends);
  }

  async ends() {
    const ends = {};
    for (const [, topic] of READERS) ends[topic] ??= await this.log.endOffsets(topic);
    return ends;
  }

  async lost() {
    const { commits, fingerprints } = this.sender;
    const [stored] = await this.database.query(`
      SELECT (SELECT COUNT(*) FROM ai_code_fingerprint_ids) AS snippets,
             (SELECT COUNT(*) FROM commit_verdicts v JOIN policies p USING (org_id, policy_id) WHERE p.live) AS verdicts,
             (SELECT COUNT(*) FROM commits WHERE late) AS late`);
    let deadLetters = 0;
    for (const topic of Object.values(TOPICS)) {
      const offsets = await this.log.endOffsets(deadLetterTopic(topic));
      deadLetters += offsets.reduce((sum, end) => sum + end, 0);
    }
    return {
      lostFingerprints: fingerprints - stored.snippets,
      lostCommits: commits - stored.verdicts,
      lateCommits: stored.late,
      deadLetters,
    };
  }

  /** Rows of daily sums that are not what results say. */
  async reconciled() {
    return JSON.parse(await this.lineprint('reconcile', '--json')).differences;
  }

  async lineprint(...args) {
    const { services, apiKey } = this.stack;
    return lineprint(services.ingest.url, services['query-api'].url, apiKey, args);
  }

  /** What the embedded mode exports after the same rounds. */
  async undisturbed(rounds, commits) {
    return withServer(async ({ url, apiKey }) => {
      const sender = new Sender({ url, apiKey, seed: this.seed, lineKey: this.lineKey });
      for (let i = 0; i < rounds; i++) await sender.round();
      for (;;) {
        const exported = await lineprint(url, url, apiKey, ['export', '--json']);
        const end = JSON.parse(exported.trimEnd().split('\n').at(-1));
        if (end.commits >= commits) return exported;
        await delay(2_000);
      }
    });
  }
}

async function lineprint(url, queryUrl, apiKey, args) {
  const connection = ['--url', url, '--query-url', queryUrl, '--api-key', apiKey];
  const { stdout } = await run(
    process.execPath,
    [join(root, 'apps', 'cli', 'dist', 'main.js'), ...args, ...connection],
    { cwd: root, maxBuffer: 4096 * MEBIBYTE },
  );
  return stdout;
}

/** Memory of a process that is in RAM; 0 where it has ended. */
function residentBytes(pid) {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** First, last and largest, in MiB, and the slope of the line of least squares, in MiB a minute. */
function memoryOf(samples) {
  if (samples.length < 2) return null;
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [times, sizes] = [samples.map(({ at }) => at / 60), samples.map(({ bytes }) => bytes / MEBIBYTE)];
  const [middle, size] = [mean(times), mean(sizes)];
  const slope =
    times.reduce((sum, time, i) => sum + (time - middle) * (sizes[i] - size), 0) /
    times.reduce((sum, time) => sum + (time - middle) ** 2, 0);
  return {
    firstMb: round(sizes[0], 0),
    lastMb: round(sizes.at(-1), 0),
    peakMb: round(Math.max(...sizes), 0),
    slopeMbPerMinute: round(slope, 2),
  };
}

export function render(answer) {
  const { memory, kills, ...figures } = answer;
  return [
    table(
      ['figure', 'value'],
      Object.entries(figures).map(([name, value]) => [name, String(value)]),
    ),
    table(
      ['process', 'killed', 'first MB', 'last MB', 'peak MB', 'MB a minute'],
      Object.entries(memory).map(([name, some]) => [
        name,
        String(kills[name] ?? 0),
        ...Object.values(some ?? {}).map(String),
      ]),
    ),
  ].join('\n\n');
}
