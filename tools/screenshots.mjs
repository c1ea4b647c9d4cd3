/**
 * Pictures of all pages, light and dark, of the demo's sample: `node tools/screenshots.mjs` writes them to docs/screenshots.
 * The sample is the same each time, and so are the pictures but for the fonts of the machine.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root, setUp } from './setup.mjs';
import { startStage } from './stage.mjs';

const folder = join(root, 'docs', 'screenshots');
const SIZE = { width: 1280, height: 820 };

/** Name of the picture and address. `{sha}` stands for the newest commit with changed lines in several files. */
const PAGES = [
  ['overview', '/?period=90d'],
  ['project', '/projects/sample?period=90d'],
  ['person', '/people/mara@harbour.example?period=90d'],
  ['team', '/teams/relay?period=90d'],
  ['projects', '/projects?period=90d'],
  ['people', '/people?period=90d'],
  ['teams', '/teams'],
  ['repositories', '/repositories'],
  ['repository', '/repository?repository=sample'],
  ['folder', '/repository?repository=sample&folder=web/src'],
  ['file', '/file?repository=sample&path=relay/main.go&line=20'],
  ['commits', '/commits'],
  ['commit', '/commit?repository=sample&sha={sha}'],
  ['policies', '/policies?from=default&to=strict'],
  ['quality', '/quality?period=90d'],
  ['definitions', '/definitions'],
];

/** What the pictures need beside the sample: a second policy that has judged it, and a team. */
async function prepare(base, key) {
  const ask = async (path, method = 'GET', body = undefined) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  await ask('/api/v1/policies', 'POST', {
    id: 'strict',
    like: 'default',
    changes: { thresholds: { minBits: 60, lineSimilarity: 0.75 } },
    description: 'Fewer short matches',
  });
  const { id } = await ask('/api/v1/replays', 'POST', { policy: 'strict' });
  while ((await ask(`/api/v1/replays/${id}`)).status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await ask('/api/v1/teams', 'POST', {
    teamId: 'relay',
    name: 'Relay',
    members: ['ravi@harbour.example', 'tomas@harbour.example'],
  });
  const { commits } = await ask('/api/v1/commits?limit=200');
  return commits.find(({ files, lines }) => files > 1 && lines.modified > 0).sha;
}

async function main() {
  await setUp();
  mkdirSync(folder, { recursive: true });
  const stage = await startStage({ log: console.error });
  try {
    const { origin, hash } = new URL(stage.dashboardUrl);
    const sha = await prepare(origin, hash.replace('#key=', ''));
    const browser = await chromium.connect(stage.browserUrl);
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ viewport: SIZE, colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const take = async (name) => {
        await page.locator('.loading, .chart-space').first().waitFor({ state: 'detached' });
        await page.mouse.move(0, 0);
        await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
      };
      await page.goto(origin);
      await page.getByLabel('API key').waitFor();
      await take('login');
      await page.goto(stage.dashboardUrl);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      for (const [name, path] of PAGES) {
        await page.goto(origin + path.replace('{sha}', sha));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await take(name);
      }
      await context.close();
    }
    await browser.close();
  } finally {
    await stage.stop();
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
