import type { Browser } from 'playwright-core';
import { connectToBrowser, openedUrl, openPage, settled } from '../browser-page';

let browser: Browser;
beforeAll(async () => {
  browser = await connectToBrowser();
});
afterAll(() => browser.close());

/** Scripts, styles, fonts and pictures of a first visit, as they travel, in bytes. */
const LIMIT = 300 * 1024;

it('a first visit loads at most 300 KB, charts included, and keeps what has a hash in its name', async () => {
  const { page, context } = await openPage(browser);
  const sizes = new Map<string, number>();
  const caching = new Map<string, string | undefined>();
  page.on('requestfinished', async (request) => {
    const path = new URL(request.url()).pathname;
    if (path.startsWith('/api/')) return;
    const [sent, response] = await Promise.all([request.sizes(), request.response()]);
    sizes.set(path, sent.responseBodySize);
    caching.set(path, response?.headers()['cache-control']);
  });
  await page.goto(openedUrl());
  await settled(page);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  expect(sizes.size).toBeGreaterThan(5);
  expect(total).toBeGreaterThan(100_000);
  expect(total).toBeLessThanOrEqual(LIMIT);
  for (const [path, header] of caching) {
    expect([path, header]).toEqual([
      path,
      path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ]);
  }
  await context.close();
});

it('numbers do not wait for the charts', async () => {
  const { page, context } = await openPage(browser);
  await page.route(/\/assets\/(trend|survival|Cartesian)[^/]*\.js$/, () => {});
  await page.goto(openedUrl());
  await page.locator('.stat-value').first().waitFor();
  expect(await page.locator('.recharts-surface').count()).toBe(0);
  await context.close();
});
