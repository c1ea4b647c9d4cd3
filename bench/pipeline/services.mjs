/** The six services on Kafka, Redis and Postgres of their own, from the accepted request to the stored result. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LineprintClient } from '@lineprint/capture';
import { GROUPS, TOPICS } from '@lineprint/contracts';
import { openEventLog } from '@lineprint/event-log';
import { deriveLineKey } from '@lineprint/fingerprint';
import { openDatabase } from '@lineprint/persistence';
import { startServers } from '../../tools/servers.mjs';
import { startStack } from '../../tools/stack.mjs';
import { round, table } from '../table.mjs';
import { Load } from './load.mjs';
import { descendants, processes } from './processes.mjs';

/** Who reads what on a commit's way. */
const READERS = [
  { stage: 'indexer', group: GROUPS.indexer, topic: TOPICS.snippets },
  { stage: 'commit-analyzer', group: GROUPS.commitAnalyzer, topic: TOPICS.commits },
  { stage: 'line-attributor', group: GROUPS.lineAttributor, topic: TOPICS.candidates },
  { stage: 'rollup', group: GROUPS.rollupAttributions, topic: TOPICS.attributions },
];
const STAGES = ['ingest', ...READERS.map(({ stage }) => stage)];
const SERVERS = { kafka: 'kafka.Kafka', redis: 'redis-server', postgres: 'postgres' };

/** Requests under way at once; a repository's commits all go through one of them, in order. */
const SENDERS = 4;
const COMMITS_A_REQUEST = 20;
/** Compiled code, filled pools and joined groups, before anything counts. */
const WARM_UP = { fingerprints: 500, commits: 60 };
const SAMPLE_MS = 250;
/** Ages are taken at this share of the rate that the services have shown before, for at most so long. */
const PACE = 0.7;
/** A spike is so many times that. */
const SPIKE = 10;
const PACED_SECONDS = 20;
const TICK_MS = 200;
/** A stage that is behind by this share of what was sent is what the others wait for. */
const BEHIND = 0.05;

export async function measureServices({ fingerprints = '5000', commits = '1000', seed = '1', spike }) {
  const sizes = {
    fingerprints: natural(fingerprints, 'fingerprints'),
    commits: natural(commits, 'commits'),
    ...(spike !== undefined && { spikeSeconds: natural(spike, 'spike') }),
  };
  const started = performance.now();
  const log = (line) => console.error(`${round((performance.now() - started) / 1000, 1)} s: ${line}`);
  const servers = await startServers({
    kafka: true,
    redis: true,
    postgres: true,
    prefix: 'LINEPRINT_',
    log,
  });
  let stack;
  let bench;
  try {
    stack = await startStack({
      servers,
      database: `bench_${randomUUID().replaceAll('-', '')}`,
      env: { LINEPRINT_LOG_LEVEL: 'warn', LINEPRINT_ORG_ID: 'bench' },
      log,
    });
    log('the services are ready');
    bench = await Bench.open(stack, natural(seed, 'seed'), log);
    return { ...(await bench.run(sizes)), seed: Number(seed), servers: servers.kind };
  } finally {
    await bench?.close();
    await stack?.stop();
    await servers.stop();
  }
}

function natural(text, name) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} ${text} is not a number from 1.`);
  return Number(text);
}

class Bench {
  static async open(stack, seed, say) {
    const bench = new Bench();
    bench.say = say;
    bench.stack = stack;
    bench.database = await openDatabase(stack.databaseUrl, { maxConnections: 2 });
    bench.log = await openEventLog(stack.kafkaUrl, { database: bench.database, clientId: 'lineprint-bench' });
    bench.client = new LineprintClient({ url: stack.services.ingest.url, apiKey: stack.apiKey });
    const lineKey = deriveLineKey(Buffer.from(stack.lineKey, 'base64'), stack.keyId);
    bench.load = new Load({ seed, lineKey });
    return bench;
  }

  async close() {
    await this.log.close();
    await this.database.close();
  }

  async run(sizes) {
    await this.saturate(WARM_UP);
    const { indexing, analysing, storage } = await this.saturate(sizes);
    const rate = sizes.commits / analysing.seconds;
    this.say(`${round(rate, 1)} commits/s; now at ${PACE} of that`);
    const pace = PACE * rate;
    const paced = Math.min(sizes.commits, Math.ceil(pace * PACED_SECONDS));
    const ages = await this.agesAt(pace, paced);
    const spike = sizes.spikeSeconds && (await this.spike(SPIKE * pace, sizes.spikeSeconds));
    const stages = Object.fromEntries(
      STAGES.map((stage) => [stage, figuresOf(stage, stage === 'indexer' ? indexing : analysing)]),
    );
    return {
      fingerprintsPerSecond: round(indexing.sent / indexing.seconds, 0),
      commitsPerSecond: round(rate, 1),
      eventAgeP50Ms: percentile(ages, 0.5),
      eventAgeP99Ms: percentile(ages, 0.99),
      slowestStage: slowestOf(stages, analysing.sent),
      fingerprints: indexing.sent,
      commits: analysing.sent,
      paced: { commits: paced, commitsPerSecond: round(pace, 1) },
      ...(spike && { spike }),
      storage,
      fingerprintCpuMs: perFingerprint(indexing),
      stages,
      serverCpuSeconds:
        analysing.cpu &&
        Object.fromEntries(Object.keys(SERVERS).map((name) => [name, round(analysing.cpu[name], 2)])),
    };
  }

  /** As fast as it goes: fingerprints until they are indexed, then commits until they have their results. */
  async saturate({ fingerprints, commits }) {
    const begin = this.load.now;
    const made = Array.from({ length: commits }, () => this.load.commit());
    const captured = made.flatMap((one) => one.fingerprints);
    captured.push(...this.load.fingerprints(Math.max(0, fingerprints - captured.length), begin));
    const shares = Array.from({ length: SENDERS }, (_, i) => captured.filter((__, n) => n % SENDERS === i));
    const begun = await this.stored();
    const indexing = await this.measure(async () => {
      await Promise.all(shares.map((share) => this.send(() => this.client.sendFingerprints(share))));
    });
    const indexed = await this.stored();
    const analysing = await this.measure(() => this.sendCommits(made.map(({ commit }) => commit)));
    const judged = await this.stored();
    const appended = await this.appendedSince(begun);
    const ofSnippets = appended[TOPICS.snippets];
    const ofCommits = Object.values(appended).reduce((sum, bytes) => sum + bytes, 0) - ofSnippets;
    return {
      indexing: { ...indexing, sent: captured.length },
      analysing: { ...analysing, sent: commits },
      storage: {
        logBytesPerFingerprint: round(ofSnippets / captured.length, 0),
        logBytesPerCommit: round(ofCommits / commits, 0),
        databaseBytesPerFingerprint: round((indexed.bytes - begun.bytes) / captured.length, 0),
        databaseBytesPerCommit: round((judged.bytes - indexed.bytes) / commits, 0),
      },
    };
  }

  async sendCommits(commits) {
    const lanes = new Map();
    for (const commit of commits)
      lanes.set(commit.repository, [...(lanes.get(commit.repository) ?? []), commit]);
    const senders = Array.from({ length: SENDERS }, (_, i) =>
      [...lanes.values()].filter((__, n) => n % SENDERS === i),
    );
    await Promise.all(
      senders.map(async (own) => {
        // Repositories take turns, as they do where many people push.
        const queue = own.flatMap((lane) => lane.map((commit, turn) => ({ commit, turn })));
        queue.sort((a, b) => a.turn - b.turn);
        for (let i = 0; i < queue.length; i += COMMITS_A_REQUEST) {
          const some = queue.slice(i, i + COMMITS_A_REQUEST).map(({ commit }) => commit);
          await this.send(() => this.client.sendCommits(some));
        }
      }),
    );
  }

  async send(request) {
    const { rejected } = await request();
    if (rejected.length > 0) throw new Error(`ingest refused ${rejected.length}: ${rejected[0].detail}`);
  }

  /** Runs `work` and waits until every consumer has read all of it; meanwhile takes the lag of each. */
  async measure(work) {
    const before = this.usage();
    const started = performance.now();
    const samples = [];
    let lagWhenSent;
    let isSent = false;
    const working = work().finally(() => (isSent = true));
    // It is awaited below; until then a failure must not end the process.
    working.catch(() => undefined);
    for (;;) {
      const wasSent = isSent;
      const lag = await this.lag();
      samples.push(lag);
      if (wasSent) lagWhenSent ??= lag;
      if (wasSent && Object.values(lag).every((records) => records === 0)) break;
      await delay(SAMPLE_MS);
    }
    await working;
    const seconds = (performance.now() - started) / 1000;
    const after = this.usage();
    const meanLag = Object.fromEntries(
      READERS.map(({ stage }) => [stage, samples.reduce((sum, lag) => sum + lag[stage], 0) / samples.length]),
    );
    const cpu =
      before && Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
    return { seconds, meanLag, lagWhenSent, cpu };
  }

  /** Records between each group's position and the end of its topic. */
  async lag() {
    const lags = await Promise.all(
      READERS.map(async ({ stage, group, topic }) => {
        // The position first: what is appended meanwhile only makes the lag greater.
        const committed = await this.log.committed(group, topic);
        const ends = await this.log.endOffsets(topic);
        return [stage, ends.reduce((sum, end, partition) => sum + end - committed[partition], 0)];
      }),
    );
    return Object.fromEntries(lags);
  }

  /** Where the topics end, and how large the database is. */
  async stored() {
    const ends = {};
    for (const topic of Object.values(TOPICS)) ends[topic] = await this.log.endOffsets(topic);
    const [{ bytes }] = await this.database.query(
      'SELECT pg_database_size(current_database())::float8 AS bytes',
    );
    return { ends, bytes };
  }

  /** Bytes of keys, values and headers, before the log compresses them, that topics have got since. */
  async appendedSince({ ends: before }) {
    const appended = {};
    for (const [topic, from] of Object.entries(before)) {
      const ranges = (await this.log.endOffsets(topic)).map((to, i) => ({ partition: i, from: from[i], to }));
      appended[topic] = 0;
      for await (const { key, value, headers } of this.log.read(topic, ranges)) {
        const extra = Object.entries(headers).reduce(
          (sum, [name, text]) => sum + name.length + text.length,
          0,
        );
        appended[topic] += key.length + value.length + extra;
      }
    }
    return appended;
  }

  /**
   * Commits and their fingerprints at a rate for a while, or as many as ingest accepts; then waits until all have their
   * results.
   */
  async spike(rate, seconds) {
    this.say(`a spike of ${seconds} s: ${round(rate, 0)} commits/s are sent`);
    const made = Array.from({ length: Math.ceil(rate * seconds) }, () => this.load.commit());
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    let sent = 0;
    let fingerprints = 0;
    while (sent < made.length && elapsed() < seconds) {
      const some = made.slice(sent, Math.max(sent + 1, Math.min(made.length, Math.ceil(elapsed() * rate))));
      for (let i = 0; i < some.length && elapsed() < seconds; i += COMMITS_A_REQUEST) {
        const one = some.slice(i, i + COMMITS_A_REQUEST);
        const captured = one.flatMap((commit) => commit.fingerprints);
        if (captured.length > 0) await this.send(() => this.client.sendFingerprints(captured));
        await this.send(() => this.client.sendCommits(one.map(({ commit }) => commit)));
        sent += one.length;
        fingerprints += captured.length;
      }
    }
    const sending = elapsed();
    while (Object.values(await this.lag()).some((records) => records > 0)) await delay(SAMPLE_MS);
    const drained = elapsed() - sending;
    const [{ judged }] = await this.database.query(
      'SELECT COUNT(*)::int AS judged FROM commit_verdicts WHERE commit_sha = ANY ($1::text[])',
      [made.slice(0, sent).map(({ commit }) => commit.sha)],
    );
    return {
      seconds: round(sending, 1),
      commitsPerSecond: round(sent / sending, 1),
      commits: sent,
      fingerprints,
      drainSeconds: round(drained, 1),
      lost: sent - judged,
    };
  }

  /** Processor seconds so far: each service with the processes it started, and the servers that were started here. */
  usage() {
    const all = processes();
    if (all.length === 0) return undefined;
    const ours = descendants(all, process.pid);
    const sum = (chosen) => chosen.reduce((seconds, one) => seconds + one.seconds, 0);
    const of = (root) => {
      const pids = descendants(all, root);
      return sum(all.filter(({ pid }) => pids.has(pid)));
    };
    const like = (text) => sum(all.filter(({ pid, command }) => ours.has(pid) && command.includes(text)));
    return {
      ...Object.fromEntries(STAGES.map((stage) => [stage, of(this.stack.services[stage].pid)])),
      ...Object.fromEntries(Object.entries(SERVERS).map(([name, command]) => [name, like(command)])),
    };
  }

  /** Milliseconds from the accepted commit to its stored result, while so many commits a second are sent. */
  async agesAt(pace, commits) {
    const first = await this.log.endOffsets(TOPICS.commits);
    const started = performance.now();
    for (let sent = 0; sent < commits;) {
      const due = Math.min(commits, Math.ceil(((performance.now() - started) / 1000) * pace));
      const made = Array.from({ length: due - sent }, () => this.load.commit());
      const fingerprints = made.flatMap((one) => one.fingerprints);
      if (fingerprints.length > 0) await this.send(() => this.client.sendFingerprints(fingerprints));
      if (made.length > 0) await this.send(() => this.client.sendCommits(made.map(({ commit }) => commit)));
      sent = due;
      await delay(TICK_MS);
    }
    while (Object.values(await this.lag()).some((records) => records > 0)) await delay(SAMPLE_MS);
    const last = await this.log.endOffsets(TOPICS.commits);
    const accepted = new Map();
    const ranges = last.map((to, partition) => ({ partition, from: first[partition], to }));
    for await (const { value, headers } of this.log.read(TOPICS.commits, ranges)) {
      accepted.set(JSON.parse(Buffer.from(value).toString('utf8')).sha, Date.parse(headers.ce_time));
    }
    const rows = await this.database.query(
      'SELECT sha, analyzed_at FROM commits WHERE sha = ANY ($1::text[])',
      [[...accepted.keys()]],
    );
    if (rows.length !== commits) throw new Error(`${rows.length} of ${commits} commits have a result.`);
    return rows.map(({ sha, analyzed_at: at }) => at.getTime() - accepted.get(sha)).sort((a, b) => a - b);
  }
}

/** @param {{cpu?: Record<string, number>, seconds: number, meanLag: object, lagWhenSent: object}} measured */
function figuresOf(stage, { cpu, seconds, meanLag, lagWhenSent }) {
  return {
    cpuSeconds: cpu && round(cpu[stage], 2),
    // Of one core; the parser is a process of its own.
    busyShare: cpu && round(cpu[stage] / seconds, 2),
    ...(stage in meanLag ? { meanLag: round(meanLag[stage], 1), lagWhenSent: lagWhenSent[stage] } : {}),
  };
}

/** Processor time of a fingerprint in milliseconds, of those who take it in. */
function perFingerprint({ cpu, sent }) {
  const of = (stage) => round((1000 * cpu[stage]) / sent, 2);
  return cpu && { ingest: of('ingest'), indexer: of('indexer') };
}

/** What commits wait for: whose consumer is behind, or where none is, who is busiest. */
function slowestOf(stages, commits) {
  const onTheWay = STAGES.filter((stage) => stage !== 'indexer');
  const greatest = (figure) =>
    [...onTheWay].sort((a, b) => (stages[b][figure] ?? 0) - (stages[a][figure] ?? 0))[0];
  const last = greatest('meanLag');
  return stages[last].meanLag >= BEHIND * commits ? last : greatest('busyShare');
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function renderServices(answer) {
  const { stages, paced } = answer;
  const rows = Object.entries(stages).map(([stage, { cpuSeconds, busyShare, meanLag, lagWhenSent }]) =>
    [stage, cpuSeconds, busyShare, meanLag, lagWhenSent].map((cell) => String(cell ?? '–')),
  );
  return [
    `${answer.fingerprintsPerSecond.toLocaleString('en-US')} fingerprints/s accepted and indexed (${answer.fingerprints})`,
    `${answer.commitsPerSecond} commits/s accepted and judged (${answer.commits}); the limit is ${answer.slowestStage}`,
    `event age ${answer.eventAgeP50Ms} ms (p50), ${answer.eventAgeP99Ms} ms (p99) at ${paced.commitsPerSecond} commits/s`,
    '',
    table(['commits', 'CPU s', 'busy share', 'mean lag', 'lag when sent'], rows),
  ].join('\n');
}
