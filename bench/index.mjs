/**
 * The recall index at a size of choice: memory, writes and questions in Redis and in process, and the same of the
 * first design document's layout. Snippets are cut from the installed packages. docs/benchmarks.md defines the
 * figures.
 */
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Redis } from 'ioredis';
import { RECALL_LANES, recallLane } from '@lineprint/fingerprint';
import { openRecallIndex } from '@lineprint/recall';
import { openParserPool } from '@lineprint/syntax';
import { startNative } from '../tools/servers/native.mjs';
import { cutSnippets, humanQueries } from './index/hunks.mjs';
import { SeedLayout } from './index/seed-layout.mjs';
import { round, table } from './table.mjs';

const TENANT = 'bench';
const NOW = Date.UTC(2026, 5, 1);
const SPAN_MS = 90 * 86_400_000;
const PARTITIONS = 6;
/** A commit that comes after all snippets. */
const QUERY = {
  notBefore: NOW - SPAN_MS,
  notAfter: NOW,
  horizon: Array.from({ length: PARTITIONS }, () => Number.MAX_SAFE_INTEGER),
};
const BATCH = 500;
const QUERIES = 2000;
const ROUNDS = 5;
/** Parsing takes longest, and the lane's memory a snippet falls with their number. */
const MOST_PARSED = 50_000;
/** A set a bucket takes 30 times the memory. */
const MOST_IN_SEED_LAYOUT = 100_000;

export async function measure({ snippets: wanted = '100000' }) {
  const count = Number(wanted);
  if (!(count >= 1000)) throw new Error(`--snippets ${wanted} is no number from 1000.`);
  const started = performance.now();
  const log = (line) => console.error(`${round((performance.now() - started) / 1000, 0)} s: ${line}`);
  const { keys, signatures, code } = cutSnippets(count, Math.min(count, MOST_PARSED));
  log(`${count} snippets, ${round(keys.length / count, 1)} keys each without syntax`);
  const queries = humanQueries(QUERIES);
  const servers = await startNative(['redis'], { prefix: 'LINEPRINT_', log });
  try {
    const redis = await measureRedis(servers.urls.redis, { keys, queries, log });
    redis.astLane = await measureAst(servers.urls.redis, { code, log });
    redis.bytesPerSnippetBothLanes = redis.bytesPerSnippetWithText + redis.astLane.bytesPerSnippet;
    const inProcess = await measureInProcess({ keys, queries, log });
    const seedLayout = await measureSeed(servers.urls.redis, { signatures, queries, log });
    return { snippets: count, redis, inProcess, seedLayout };
  } finally {
    await servers.stop();
  }
}

export function render({ snippets, redis, inProcess, seedLayout }) {
  const row = (name, figures) => [
    name,
    ...[
      'snippets',
      'bytesPerSnippet',
      'writesPerSecond',
      'queryP50Ms',
      'queryP99Ms',
      'queryP99MsFiltered',
    ].map((figure) => String(figures[figure] ?? '–')),
  ];
  return [
    table(
      ['', 'snippets', 'bytes a snippet', 'writes/s', 'p50 ms', 'p99 ms', 'p99 ms, filters'],
      [row('Redis', { snippets, ...redis }), row("seed's layout", seedLayout)],
    ),
    '',
    `Redis with text bands ${redis.bytesPerSnippetWithText}, with those of syntax ${redis.bytesPerSnippetBothLanes} bytes a snippet`,
    `In process ${inProcess.bytesPerSnippet} bytes a snippet, ${inProcess.lookupsPerSecond} lookups/s`,
  ].join('\n');
}

async function measureRedis(url, { keys, queries, log }) {
  const server = new Redis(url);
  const index = await openRecallIndex(url, { filters: false });
  const fill = async (isWanted) => {
    await server.flushall();
    await index.activate(await index.begin());
    return filled(index, server, (i) => keys.of(i).filter(isWanted), keys.count);
  };
  const line = await fill((key) => recallLane(key) <= RECALL_LANES.context);
  log(`line lane in Redis: ${JSON.stringify(line)}`);
  const both = await fill(() => true);
  log(`with text bands: ${JSON.stringify(both)}`);
  const unfiltered = await timeQueries(index, queries);
  log(`questions: ${JSON.stringify(unfiltered)}`);
  const reader = await openRecallIndex(url);
  await filtersMade(reader, server);
  const filtered = await timeQueries(reader, queries);
  log(`with filters: ${JSON.stringify(filtered)}`);
  await Promise.all([index.close(), reader.close(), server.quit()]);
  return {
    bytesPerSnippet: line.bytesPerSnippet,
    writesPerSecond: line.writesPerSecond,
    queryP50Ms: unfiltered.p50,
    queryP99Ms: unfiltered.p99,
    queryP50MsFiltered: filtered.p50,
    queryP99MsFiltered: filtered.p99,
    bytesPerSnippetWithText: both.bytesPerSnippet,
    writesPerSecondWithText: both.writesPerSecond,
    keysPerQuery: unfiltered.keys,
    presentKeys: unfiltered.present,
  };
}

async function measureAst(url, { code, log }) {
  const pool = openParserPool({ processes: 2 });
  const bands = await Promise.all(
    code.map(async ({ language, text }) => (await pool.snippetSignature(language, text))?.bands ?? []),
  );
  await pool.close();
  log(`${code.length} snippets parsed`);
  const server = new Redis(url);
  await server.flushall();
  const index = await openRecallIndex(url, { filters: false });
  await index.activate(await index.begin());
  const keysOf = (i) =>
    Array.from(bands[i], (hash, band) => RECALL_LANES.ast * 2 ** 40 + band * 2 ** 32 + hash);
  const { bytesPerSnippet } = await filled(index, server, keysOf, bands.length);
  await Promise.all([index.close(), server.quit()]);
  return { snippets: bands.length, bytesPerSnippet };
}

async function filled(index, server, keysOf, count) {
  const at = await index.coverage();
  const before = await usedMemory(server);
  let spent = 0;
  for (let i = 0; i < count; i += BATCH) {
    const entries = Array.from({ length: Math.min(BATCH, count - i) }, (_, k) =>
      entryOf(i + k, count, keysOf),
    );
    const started = performance.now();
    await index.add(at, TENANT, entries);
    spent += performance.now() - started;
  }
  return {
    bytesPerSnippet: round(((await usedMemory(server)) - before) / count, 1),
    writesPerSecond: round((1000 * count) / spent, 0),
  };
}

/** Snippets arrive in the order of their times, projects mixed. */
function entryOf(i, count, keysOf) {
  return {
    id: i + 1,
    eventTime: NOW - SPAN_MS + Math.floor((i * SPAN_MS) / count),
    partition: i % PARTITIONS,
    offset: Math.floor(i / PARTITIONS),
    keys: keysOf(i),
  };
}

async function usedMemory(server) {
  return Number(/used_memory:(\d+)/.exec(await server.info('memory'))[1]);
}

/** Of each question the median of some rounds: the machine does other work as well. */
async function timeQueries(index, queries) {
  const at = await index.coverage();
  const rounds = queries.map(() => []);
  let found = 0;
  for (let pass = 0; pass < ROUNDS; pass++) {
    for (const [i, { keys }] of queries.entries()) {
      const started = performance.now();
      const postings = await index.postings(at, TENANT, keys, QUERY);
      rounds[i].push(performance.now() - started);
      if (pass === 0) found += postings.size;
    }
  }
  const times = rounds.map((list) => percentile(list, 0.5));
  const all = queries.reduce((sum, { keys }) => sum + keys.length, 0);
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    keys: round(all / queries.length, 0),
    present: round(found / all, 3),
  };
}

function percentile(times, share) {
  return round([...times].sort((a, b) => a - b)[Math.floor(times.length * share)], 2);
}

/** Filters are made while questions go on without them: until one about keys that nobody has reaches no shard. */
async function filtersMade(reader, server) {
  const at = await reader.coverage();
  const nobodys = Array.from({ length: 1000 }, (_, i) => i * 1_099_511_621 + 7);
  const lookups = async () => Number(/cmdstat_hget:calls=(\d+)/.exec(await server.info('commandstats'))[1]);
  for (;;) {
    const before = await lookups();
    await reader.postings(at, TENANT, nobodys, QUERY);
    if ((await lookups()) - before < nobodys.length) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function measureInProcess({ keys, queries, log }) {
  const index = await openRecallIndex('memory:');
  await index.activate(await index.begin());
  const at = await index.coverage();
  const before = heldBytes();
  for (let i = 0; i < keys.count; i += BATCH) {
    const length = Math.min(BATCH, keys.count - i);
    const isLine = (key) => recallLane(key) <= RECALL_LANES.context;
    const keysOf = (n) => keys.of(n).filter(isLine);
    await index.add(
      at,
      TENANT,
      Array.from({ length }, (_, k) => entryOf(i + k, keys.count, keysOf)),
    );
  }
  const bytes = heldBytes() - before;
  let asked = 0;
  const started = performance.now();
  for (let pass = 0; performance.now() - started < 3000; pass++) {
    for (const { keys: wanted } of queries) {
      await index.postings(at, TENANT, wanted, QUERY);
      asked += wanted.length;
    }
  }
  const lookupsPerSecond = round((1000 * asked) / (performance.now() - started), 0);
  await index.close();
  const answer = { bytesPerSnippet: round(bytes / keys.count, 1), lookupsPerSecond };
  log(`in process: ${JSON.stringify(answer)}`);
  return answer;
}

function heldBytes() {
  v8.setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function measureSeed(url, { signatures, queries, log }) {
  const count = Math.min(signatures.count, MOST_IN_SEED_LAYOUT);
  const server = new Redis(url);
  await server.flushall();
  const layout = new SeedLayout(server);
  const before = await usedMemory(server);
  const started = performance.now();
  for (let i = 0; i < count; i += BATCH) {
    const length = Math.min(BATCH, count - i);
    await layout.add(Array.from({ length }, (_, k) => signatures.of(i + k)));
  }
  const seconds = (performance.now() - started) / 1000;
  const bytes = (await usedMemory(server)) - before;
  const times = [];
  for (const { bands } of queries) {
    const asked = performance.now();
    await layout.find(bands);
    times.push(performance.now() - asked);
  }
  await server.quit();
  const answer = {
    snippets: count,
    bytesPerSnippet: round(bytes / count, 1),
    writesPerSecond: round(count / seconds, 0),
    queryP50Ms: percentile(times, 0.5),
    queryP99Ms: percentile(times, 0.99),
  };
  log(`seed's layout: ${JSON.stringify(answer)}`);
  return answer;
}
