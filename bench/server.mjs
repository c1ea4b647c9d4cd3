/** A Lineprint of a bench's own: one process on an empty directory, which goes with it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '@lineprint/persistence';
import { root } from '../tools/setup.mjs';
import { startSupervised } from '../tools/supervise.mjs';

/** Fixed, so that two runs print the same figures: Bloom filters depend on the key a little. */
export const LINE_KEY = Buffer.from('the key of a bench has no secrets').toString('base64');

/**
 * @template T
 * @param {(server: {url: string, apiKey: string}) => Promise<T>} use
 * @param {Record<string, string>} [env] more settings
 * @returns {Promise<T>} what `use` answers
 * @throws {Error} with its last words when it does not start
 */
export async function withServer(use, env = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'lineprint-bench-'));
  const apiKey = generateApiKey();
  let said = '';
  let isReady;
  const ready = new Promise((done) => (isReady = done));
  const server = await startSupervised({
    command: process.execPath,
    args: [join(root, 'apps', 'standalone', 'dist', 'main.js')],
    cwd: root,
    env: {
      PATH: process.env.PATH,
      LINEPRINT_DATABASE_URL: `pglite:${join(directory, 'database')}`,
      LINEPRINT_PORT: '0',
      LINEPRINT_BOOTSTRAP_API_KEY: apiKey,
      LINEPRINT_BOOTSTRAP_LINE_KEY: LINE_KEY,
      ...env,
    },
    remove: directory,
    onOutput: (chunk) => {
      said = (said + chunk).slice(-10_000);
      const url = /"url":"(http:[^"]+)"/.exec(said)?.[1];
      if (url) isReady(url);
    },
  });
  try {
    const url = await Promise.race([ready, server.exited.then(() => undefined)]);
    if (!url) throw new Error(`Lineprint did not start:\n${said}`);
    return await use({ url, apiKey });
  } finally {
    await server.stop();
  }
}
