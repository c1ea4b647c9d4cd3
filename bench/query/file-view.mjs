/** The lines of files at the tip of a stored repository: this one, all of its history, in Postgres. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { root } from '../../tools/setup.mjs';
import { runCommand } from '../command-line.mjs';
import { withServer } from '../server.mjs';
import { timed } from '../timed.mjs';

const REPOSITORY = 'bench/repository';
const FILES = 60;
const WARM_UP = 5;
const LOOK_MS = 250;

/**
 * @param {import('@lineprint/persistence').Database} administration a superuser's
 * @param {string} postgresUrl
 * @param {(line: string) => void} log
 * @returns {Promise<{files: number, commits: number, p50Ms: number, p95Ms: number}>} over HTTP, one file after the other,
 *   the largest, each with its text
 */
export async function measureFileView(administration, postgresUrl, log) {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const state = await mkdtemp(join(tmpdir(), 'lineprint-bench-'));
  await administration.script(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  try {
    const answer = await withServer((server) => measureFiles(server, state), {
      LINEPRINT_DATABASE_URL: url.href,
      LINEPRINT_LOCAL_REPOSITORIES: JSON.stringify({ [REPOSITORY]: root }),
    });
    log(`lines of a file: p50 ${answer.p50Ms} ms, p95 ${answer.p95Ms} ms`);
    return answer;
  } finally {
    await administration.script(`DROP DATABASE IF EXISTS ${name}`);
    await rm(state, { recursive: true, force: true });
  }
}

async function measureFiles({ url, apiKey }, state) {
  const { commits } = JSON.parse(
    await runCommand(['backfill', '--repo', root, '--name', REPOSITORY, '--json'], {
      LINEPRINT_URL: url,
      LINEPRINT_QUERY_URL: url,
      LINEPRINT_API_KEY: apiKey,
      LINEPRINT_STATE_DIRECTORY: state,
    }),
  );
  const ask = (path, parameters) =>
    fetch(`${url}/api/v1/${path}?${new URLSearchParams({ repository: REPOSITORY, ...parameters })}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
  const files = await filesOf(ask);
  const lines = async (n) => {
    const response = await ask('files/lines', { path: files[n % files.length] });
    const text = await response.text();
    if (!response.ok) throw new Error(`${files[n % files.length]}: ${response.status} ${text}`);
  };
  return { files: files.length, commits, ...(await timed(lines, files.length, WARM_UP)) };
}

/** Paths of the files with most lines, once the ledger has the tip. */
async function filesOf(ask) {
  for (;;) {
    const response = await ask('files', { sort: 'lines', limit: String(FILES) });
    const answer = await response.json();
    if (response.ok && answer.files.length > 0) return answer.files.map(({ path }) => path);
    if (!response.ok && response.status !== 404) throw new Error(JSON.stringify(answer));
    await delay(LOOK_MS);
  }
}
