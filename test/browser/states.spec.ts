import type { Browser, Page, Route } from 'playwright-core';
import { connectToBrowser, logIn, type OpenPage, pageUrl, settled } from '../browser-page';

let browser: Browser;
let opened: OpenPage;
let page: Page;
beforeAll(async () => {
  browser = await connectToBrowser();
  opened = await logIn(browser);
  page = opened.page;
});
afterAll(() => browser.close());
afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

const PATHS = [
  '/',
  '/projects',
  '/people',
  '/teams',
  '/repositories',
  '/repository?repository=sample',
  '/file?repository=sample&path=web/src/board.ts',
  '/commits',
  `/commit?repository=sample&sha=${'0'.repeat(40)}`,
  '/policies',
  '/quality',
];

/** What every page needs before it asks for its own numbers. */
const FIRST = /\/api\/v1\/(me|commits\?limit=1)$/;
const own = (url: URL) => url.pathname.startsWith('/api/') && !FIRST.test(url.pathname + url.search);

it.each(PATHS)('%s says in the API’s words what failed, and tries again', async (path) => {
  let refuse = true;
  await page.route(own, (route: Route) =>
    refuse
      ? route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          json: {
            type: 'urn:x',
            title: 'Resting',
            status: 503,
            code: 'resting',
            detail: 'Come back at noon.',
          },
        })
      : route.continue(),
  );
  await page.goto(pageUrl(path));
  const failed = page.getByRole('alert').first();
  await failed.waitFor();
  expect(await failed.textContent()).toContain('Resting' + 'Come back at noon.');
  refuse = false;
  const again = page.getByRole('button', { name: 'Try again' });
  // Panels that ask the same question get their answer together.
  for (let left = await again.count(); left > 0 && (await again.count()) > 0; left -= 1) {
    await again.first().click();
    await settled(page);
  }
  // There is no such commit, so that its second answer is another refusal.
  expect(await page.getByRole('alert').count()).toBe(path.startsWith('/commit?') ? 1 : 0);
});

it.each(PATHS)('%s says that it is loading', async (path) => {
  const waiting: Route[] = [];
  await page.route(own, (route) => void waiting.push(route));
  await page.goto(pageUrl(path));
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.getByRole('status').first().textContent()).toMatch(/^Loading /);
  await Promise.all(waiting.map((route) => route.abort()));
});

it('a server that does not answer is called that', async () => {
  await page.route(own, (route) => route.abort());
  await page.goto(pageUrl('/projects'));
  await page.getByText('Lineprint does not answer').waitFor();
});
