/** A repository's history live through the six services, then its candidates again under a copy of the policy. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startServers } from '../tools/servers.mjs';
import { root } from '../tools/setup.mjs';
import { startStack } from '../tools/stack.mjs';
import { runCommand } from './command-line.mjs';
import { round, table } from './table.mjs';

const MOST_COMMITS = '10000';
const COPY = 'copy';

export async function measure({ repo = root, max = MOST_COMMITS }) {
  if (!/^[1-9]\d*$/.test(max)) throw new Error(`--max ${max} is not a number of commits.`);
  const started = performance.now();
  const log = (line) => console.error(`${round((performance.now() - started) / 1000, 1)} s: ${line}`);
  const servers = await startServers({
    kafka: true,
    redis: true,
    postgres: true,
    prefix: 'LINEPRINT_',
    log,
  });
  // An organisation of its own: on servers that are given, topics hold other runs' commits.
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const folder = await mkdtemp(join(tmpdir(), 'lineprint-bench-'));
  let stack;
  try {
    stack = await startStack({
      servers,
      database: name,
      env: { LINEPRINT_LOG_LEVEL: 'warn', LINEPRINT_ORG_ID: name },
      log,
    });
    return { ...(await replay({ stack, folder, repo: resolve(repo), max, log })), servers: servers.kind };
  } finally {
    await stack?.stop();
    await servers.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function replay({ stack, folder, repo, max, log }) {
  const env = {
    LINEPRINT_URL: stack.services.ingest.url,
    LINEPRINT_QUERY_URL: stack.services['query-api'].url,
    LINEPRINT_API_KEY: stack.apiKey,
    LINEPRINT_STATE_DIRECTORY: folder,
  };
  const lineprint = (...args) => runCommand(args, env);
  const json = async (...args) => JSON.parse(await lineprint(...args, '--json'));

  const begin = performance.now();
  // It ends when every commit that it sent has its result.
  await json('backfill', '--repo', repo, '--max', max);
  const liveSeconds = (performance.now() - begin) / 1000;
  await lineprint('policy', 'create', COPY, '--like', 'default');
  const answer = await json('replay', 'start', '--policy', COPY, '--wait');
  // By the servers' clock: starting the command line is no part of it, finding the replay and joining its group are.
  const replaySeconds = (Date.parse(answer.caughtUpAt) - Date.parse(answer.createdAt)) / 1000;
  log(`${answer.judged} commits: live ${round(liveSeconds, 1)} s, replayed ${round(replaySeconds, 1)} s`);
  const hashOf = async (policy) =>
    createHash('sha256')
      .update(await lineprint('export', '--policy', policy))
      .digest('hex');
  const [live, again] = [await hashOf('default'), await hashOf(COPY)];
  const commits = answer.judged;
  return {
    liveCommitsPerSecond: round(commits / liveSeconds, 1),
    replayCommitsPerSecond: round(commits / replaySeconds, 1),
    speedup: round(liveSeconds / replaySeconds, 1),
    identical: live === again,
    commits,
    liveSeconds: round(liveSeconds, 1),
    replaySeconds: round(replaySeconds, 1),
  };
}

export function render(answer) {
  const row = (name, seconds, rate) => [name, seconds.toFixed(1), rate.toLocaleString('en-US')];
  return [
    table(
      [`${answer.commits} commits`, 'seconds', 'commits/s'],
      [
        row('live, sent to stored', answer.liveSeconds, answer.liveCommitsPerSecond),
        row('replay of candidates', answer.replaySeconds, answer.replayCommitsPerSecond),
      ],
    ),
    '',
    `A replay is ${answer.speedup} times as fast; its export is ${answer.identical ? 'the same, byte for byte' : 'ANOTHER ONE'}.`,
  ].join('\n');
}
