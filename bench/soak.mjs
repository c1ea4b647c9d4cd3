/**
 * The six services on Kafka, Redis and Postgres of their own under a mixed load, for minutes: in the first half processes
 * are killed in turns, in a random order, and start again; in the second all run on, and their memory is to stay level. Then
 * nothing may be lost: the export is that of one process, embedded, which is sent the same undisturbed.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
/** Between two kills, seconds; less where not every service would have its turn. */
const KILL_EVERY = { least: 8, most: 25 };
/** What a start takes of that on a slow machine. */
const START_SECONDS = 8;
/** Each sample has every service collect its garbage. */
const SAMPLE_MS = 10_000;
const COLLECT_LIMIT_MS = 30_000;
const PROGRESS_MS = 30_000;
/** Of the second half, before memory counts: caches and pools fill again after the last restart. */
const SETTLING_SHARE = 0.2;
const LOOK_MS = 500;
const LOOK_AT_EXPORT_MS = 10_000;
/** What has not moved for so long does not come. */
const STANDSTILL_MS = 300_000;
/** By so much of its mean what is left after a collection may grow while all run on: caches are not full yet. */
const LEVEL_SHARE = 0.1;
const COLLECTOR = pathToFileURL(join(root, 'bench', 'soak', 'collect.mjs')).href;
/** Replays in the first half, evenly. */
const REPLAYS = 2;
const MEBIBYTE = 1024 * 1024;

export async function measure({ minutes = '30', rate = '5', seed = String(Date.now() % 1_000_000) }) {
  const [seconds, pace] = [60 * positive(minutes, 'minutes'), positive(rate, 'rate')];
  const began = performance.now();
  const log = (line) => console.error(`${round((performance.now() - began) / 1000, 1)} s: ${line}`);
  log(`--seed ${seed} repeats the load and the order of the kills`);
  const servers = await startServers({ kafka: true, redis: true, postgres: true, prefix: 'LINEPRINT_', log });
  const collections = new Collections(log);
  let stack;
  let soak;
  try {
    stack = await startStack({
      servers,
      log: (line) => collections.hear(line),
      database: `soak_${randomUUID().replaceAll('-', '')}`,
      env: {
        LINEPRINT_LOG_LEVEL: 'warn',
        LINEPRINT_ORG_ID: ORGANISATION,
        LINEPRINT_BOOTSTRAP_LINE_KEY: LINE_KEY,
        NODE_OPTIONS: `--import ${COLLECTOR}`,
      },
    });
    soak = await Soak.open(stack, collections, Number(seed), log);
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

/** Asks services for what is left in their memory once garbage is collected; what else they print is passed on. */
class Collections {
  #answers = new Map();

  constructor(say) {
    this.say = say;
  }

  hear(line) {
    const [, name, bytes] = /^(\S+) \| \{"collectedBytes":(\d+)\}$/.exec(line) ?? [];
    if (name === undefined) this.say(line);
    else this.#answers.get(name)?.(Number(bytes));
  }

  /** @returns {Promise<number>} bytes of V8's heap and of what it holds outside */
  async of(name, pid) {
    const answer = new Promise((resolve) => this.#answers.set(name, resolve));
    process.kill(pid, 'SIGURG');
    const limit = delay(COLLECT_LIMIT_MS, undefined, { ref: false });
    const bytes = await Promise.race([answer, limit]);
    if (bytes === undefined) throw new Error(`${name} has not collected its garbage`);
    return bytes;
  }
}

/** The load in rounds, the same for the same seed; a round that was not answered is sent again. */
class Sender {
  constructor({ url, apiKey, seed, lineKey, over }) {
    this.over = over;
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
        await delay(LOOK_MS, undefined, { signal: this.over });
        continue;
      }
      const [refused] = answer.rejected;
      if (refused) throw new Error(`ingest refused ${answer.rejected.length}: ${refused.detail}`);
      return;
    }
  }
}

class Soak {
  /** Whatever of it still runs when a part has failed ends with this. */
  #over = new AbortController();

  static async open(stack, collections, seed, say) {
    const soak = new Soak();
    Object.assign(soak, { stack, collections, seed, say, random: new random.SeededRandom(seed + 1) });
    soak.database = await openDatabase(stack.databaseUrl, { maxConnections: 2 });
    soak.log = await openEventLog(stack.kafkaUrl, { database: soak.database, clientId: 'lineprint-soak' });
    soak.lineKey = deriveLineKey(Buffer.from(stack.lineKey, 'base64'), stack.keyId);
    const { ingest } = stack.services;
    const over = soak.#over.signal;
    soak.sender = new Sender({ url: ingest.url, apiKey: stack.apiKey, seed, lineKey: soak.lineKey, over });
    return soak;
  }

  async close() {
    this.#over.abort();
    await this.log.close();
    await this.database.close();
  }

  async run(seconds, pace) {
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    const half = seconds / 2;
    const samples = Object.fromEntries(serviceNames.map((name) => [name, []]));
    const counts = { queries: 0, queriesFailed: 0, kills: {}, replays: 0 };
    const signal = this.#over.signal;
    const until = (end, everyMs, work) =>
      (async () => {
        while (elapsed() < end) {
          await work();
          await delay(everyMs(), undefined, { signal });
        }
      })();
    const level = half + half * SETTLING_SHARE;
    // A run of minutes has a turn for every service as well.
    const longest = Math.min(KILL_EVERY.most, Math.max(1, half / serviceNames.length - START_SECONDS));
    const shortest = Math.min(KILL_EVERY.least, longest);
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
        () => 1000 * this.random.between(Math.floor(shortest), Math.floor(longest)),
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
        async () => {
          if (elapsed() > level) await this.sample(samples, elapsed);
        },
      ),
      until(
        seconds,
        () => PROGRESS_MS,
        () => {
          const left = serviceNames.map((name) =>
            round((samples[name].at(-1)?.collected ?? 0) / MEBIBYTE, 1),
          );
          this.say(
            `${this.sender.commits} commits sent; ${JSON.stringify(counts)}; MiB after collection: ${left.join(', ')}`,
          );
        },
      ),
    ]);
    const { commits, fingerprints, rounds, repeated } = this.sender;
    this.say(`${commits} commits and ${fingerprints} fingerprints are sent; waiting for their results`);
    const hasSettled = await this.settled();
    const drained = elapsed() - seconds;
    const lost = await this.lost();
    const exported = await this.lineprint('export', '--json');
    const differences = await this.reconciled();
    this.say(`the same ${rounds} rounds are sent to one process, undisturbed`);
    const undisturbed = await this.undisturbed(rounds, commits);
    const memory = Object.fromEntries(Object.entries(samples).map(([name, some]) => [name, memoryOf(some)]));
    return {
      lost: lost.lostFingerprints + lost.lostCommits + lost.deadLetters,
      flat: Object.values(memory).every((some) => some !== null && some.grownShare <= LEVEL_SHARE),
      everyServiceKilled: serviceNames.every((name) => counts.kills[name] > 0),
      settled: hasSettled,
      commits,
      fingerprints,
      repeatedRequests: repeated,
      ...counts,
      drainSeconds: round(Math.max(0, drained), 1),
      ...lost,
      reconciliationDifferences: differences,
      exportBytes: exported.length,
      exportIsThatOfAnUndisturbedRun: exported === undisturbed,
      memory,
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

  /** Services take turns, each time in another order: none is spared. */
  async kill({ kills }) {
    if (!(this.turns?.length > 0)) this.turns = [...serviceNames];
    const [name] = this.turns.splice(this.random.between(0, this.turns.length - 1), 1);
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
        await delay(LOOK_MS, undefined, { signal: this.#over.signal });
      }
    }
  }

  async sample(samples, elapsed) {
    const all = processes();
    for (const name of serviceNames) {
      const { pid } = this.stack.services[name];
      const bytes = [...descendants(all, pid)].reduce((sum, one) => sum + residentBytes(one), 0);
      const collected = await this.collections.of(name, pid);
      samples[name].push({ at: elapsed(), bytes, collected });
    }
  }

  /** @returns false where something has stopped before its end */
  async settled() {
    let before = '';
    let movedAt = performance.now();
    while (performance.now() - movedAt < STANDSTILL_MS) {
      const left = await this.unread();
      if (left === undefined) return true;
      if (left !== before) movedAt = performance.now();
      before = left;
      await delay(LOOK_MS);
    }
    this.say(`nothing has moved for ${STANDSTILL_MS / 1000} s: ${before}`);
    return false;
  }

  /**
   * As test/chaos has it: offsets and progress are at the ends, no table has anything waiting, no topic has grown meanwhile.
   *
   * @returns {Promise<string | undefined>} what is still to be read; undefined where nothing is
   */
  async unread() {
    const ends = await this.ends();
    const behind = [];
    for (const [group, topic] of READERS) {
      const committed = await this.log.committed(group, topic);
      const progress = await loadProgress(this.database, group, topic);
      for (const [partition, end] of ends[topic].entries()) {
        const at = [committed[partition], progress.get(partition) ?? 0];
        if (at.some((offset) => offset !== end))
          behind.push(`${group} ${partition}: ${at.join(', ')} of ${end}`);
      }
    }
    const [waiting] = await this.database.query(`
      SELECT (SELECT COUNT(*) FROM outbox) AS outbox, (SELECT COUNT(*) FROM reanalysis_requests) AS reanalyses,
             (SELECT COUNT(*) FROM ledger_requests) AS ledger,
             (SELECT COUNT(*) FROM replays WHERE status = 'running') AS replays`);
    const isDone = behind.length === 0 && Object.values(waiting).every((count) => Number(count) === 0);
    if (isDone && JSON.stringify(await this.ends()) === JSON.stringify(ends)) return undefined;
    return JSON.stringify({ behind, waiting, ends });
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
      lostFingerprints: fingerprints - Number(stored.snippets),
      lostCommits: commits - Number(stored.verdicts),
      lateCommits: Number(stored.late),
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
      const over = this.#over.signal;
      const sender = new Sender({ url, apiKey, seed: this.seed, lineKey: this.lineKey, over });
      for (let i = 0; i < rounds; i++) await sender.round();
      let before = -1;
      let movedAt = performance.now();
      for (;;) {
        const exported = await lineprint(url, url, apiKey, ['export', '--json']);
        const end = JSON.parse(exported.trimEnd().split('\n').at(-1));
        if (end.commits >= commits) return exported;
        if (end.commits !== before) movedAt = performance.now();
        before = end.commits;
        if (performance.now() - movedAt > STANDSTILL_MS)
          throw new Error(`the undisturbed process has stopped at ${before} of ${commits} commits`);
        this.say(`${before} of ${commits} are judged there`);
        await delay(LOOK_AT_EXPORT_MS);
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

/**
 * Of what is left after a collection: first, last and largest in MiB, the slope of the line of least squares in MiB a minute, and
 * by which share of the mean that line has risen from the first sample to the last. And of all memory in RAM, before collections.
 */
function memoryOf(samples) {
  if (samples.length < 2) return null;
  const times = samples.map(({ at }) => at / 60);
  const collected = samples.map(({ collected: bytes }) => bytes / MEBIBYTE);
  const resident = samples.map(({ bytes }) => bytes / MEBIBYTE);
  const slope = slopeOf(times, collected);
  return {
    firstMb: round(collected[0], 1),
    lastMb: round(collected.at(-1), 1),
    peakMb: round(Math.max(...collected), 1),
    slopeMbPerMinute: round(slope, 2),
    grownShare: round((slope * (times.at(-1) - times[0])) / mean(collected), 3),
    residentPeakMb: round(Math.max(...resident), 0),
    residentSlopeMbPerMinute: round(slopeOf(times, resident), 2),
  };
}

function slopeOf(times, sizes) {
  const [middle, size] = [mean(times), mean(sizes)];
  return (
    times.reduce((sum, time, i) => sum + (time - middle) * (sizes[i] - size), 0) /
    times.reduce((sum, time) => sum + (time - middle) ** 2, 0)
  );
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function render(answer) {
  const { memory, kills, ...figures } = answer;
  return [
    table(
      ['figure', 'value'],
      Object.entries(figures).map(([name, value]) => [name, String(value)]),
    ),
    table(
      [
        'process',
        'killed',
        'first MB',
        'last MB',
        'peak MB',
        'MB a minute',
        'grown',
        'RSS peak MB',
        'RSS a minute',
      ],
      Object.entries(memory).map(([name, some]) => [
        name,
        String(kills[name] ?? 0),
        ...Object.values(some ?? {}).map(String),
      ]),
    ),
  ].join('\n\n');
}
