/**
 * What tests in a browser and screenshots need: the demo with its sample, and one Chromium for all of them.
 * `node tools/stage.mjs` starts both, prints the variables to export, and serves until Ctrl-C.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEST_PREFIX } from './servers.mjs';
import { chromiumPath, ensurePrograms } from './servers/programs.mjs';
import { root } from './setup.mjs';
import { startSupervised } from './supervise.mjs';

/** How long the demo may take to show its sample's numbers on a busy machine, in milliseconds. */
const START_LIMIT_MS = 180_000;

/**
 * @typedef {object} Stage
 * @property {string} dashboardUrl with the demo's key behind `#`, as the demo prints it
 * @property {string} browserUrl to connect Playwright to
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the demo, on the usual port or any that is free, and a browser. Both end with this process.
 *
 * @param {{log?: (line: string) => void}} [options]
 * @returns {Promise<Stage>}
 * @throws {Error} with what to install, or with the demo's last words
 */
export async function startStage({ log = () => {} } = {}) {
  await ensurePrograms(['chromium'], { prefix: TEST_PREFIX, log });
  log('Starting the demo and a browser');
  // Not at the top: who calls this may be about to install packages.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launchServer({
    executablePath: chromiumPath(),
    host: '127.0.0.1',
    // Chromium's sandbox refuses root; only the demo's own pages are opened.
    args: ['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none'],
  });
  const demo = await startDemo();
  return {
    dashboardUrl: demo.url,
    browserUrl: browser.wsEndpoint(),
    stop: async () => {
      await Promise.all([browser.close(), demo.stop()]);
    },
  };
}

async function startDemo() {
  const data = mkdtempSync(join(tmpdir(), 'lineprint-stage-'));
  let said = '';
  let found = () => {};
  const opened = new Promise((resolve) => (found = resolve));
  const running = await startSupervised({
    command: process.execPath,
    args: [join(root, 'apps', 'cli', 'dist', 'main.js'), 'demo', '--data', data],
    cwd: root,
    // The demo ends its server on Ctrl-C, in order.
    signal: 'SIGINT',
    remove: data,
    onOutput: (chunk) => {
      said += chunk.toString('utf8');
      const url = /^Open\s+(\S+)/m.exec(said)?.[1];
      if (url) found(url);
    },
  });
  const limit = setTimeout(() => void running.stop(), START_LIMIT_MS);
  const url = await Promise.race([opened, running.exited]);
  clearTimeout(limit);
  if (typeof url !== 'string')
    throw new Error(`The demo did not start. Its last words:\n${said.slice(-4000)}`);
  return { url, stop: running.stop };
}

/** The variables that hand a stage on to tests. @param {Stage} stage @returns {Record<string, string>} */
export function stageEnvironment({ dashboardUrl, browserUrl }) {
  return { [`${TEST_PREFIX}DASHBOARD_URL`]: dashboardUrl, [`${TEST_PREFIX}BROWSER_URL`]: browserUrl };
}

async function main() {
  const log = (line) => console.error(line);
  const stage = await startStage({ log });
  for (const [name, value] of Object.entries(stageEnvironment(stage)))
    console.log(`export ${name}='${value}'`);
  log('Serving until Ctrl-C');
  const alive = setInterval(() => {}, 60_000);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      clearInterval(alive);
      void stage.stop();
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
