import type { Browser } from 'playwright-core';
import { connectToBrowser, logIn, type OpenPage, seriousViolations, settled, visit } from '../browser-page';

let browser: Browser;
beforeAll(async () => {
  browser = await connectToBrowser();
});
afterAll(() => browser.close());

/** Each page, and the title that it has for the demo's sample. */
const PAGES: readonly [path: string, title: string][] = [
  ['/', 'Overview'],
  ['/projects', 'Projects'],
  ['/projects/sample', 'sample'],
  ['/people', 'People'],
  ['/people/mara@harbour.example', 'mara@harbour.example'],
  ['/teams', 'Teams'],
  ['/repositories', 'Repositories'],
  ['/repository?repository=sample', 'sample'],
  ['/repository?repository=sample&folder=web', 'web'],
  ['/file?repository=sample&path=web/src/board.ts', 'board.ts'],
  ['/commits', 'Commits'],
  ['/policies', 'Policies'],
  ['/quality', 'Data quality'],
  ['/definitions', 'How things are counted'],
  ['/nowhere', 'No such page'],
];

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  let opened: OpenPage;
  beforeAll(async () => {
    opened = await logIn(browser, { colorScheme });
  });
  afterAll(() => opened.context.close());

  it.each(PAGES)('%s can be used with a keyboard and a screen reader', async (path, title) => {
    await visit(opened.page, path);
    expect(await opened.page.getByRole('heading', { level: 1 }).textContent()).toBe(title);
    expect(await opened.page.title()).toBe(`${title} · Lineprint`);
    expect(await opened.page.locator('.failed').allTextContents()).toEqual([]);
    expect(await seriousViolations(opened.page)).toEqual([]);
  });

  it('a commit can be used so as well', async () => {
    await visit(opened.page, '/commits');
    await opened.page.getByRole('table').getByRole('link').first().click();
    await settled(opened.page);
    expect(await opened.page.getByRole('heading', { level: 1 }).textContent()).toMatch(
      /^Commit [0-9a-f]{8}$/,
    );
    expect(await seriousViolations(opened.page)).toEqual([]);
  });

  it('nothing was asked of another server, and no script has failed', () => {
    expect(opened.foreign).toEqual([]);
    expect(opened.errors).toEqual([]);
  });
});

it('every number says how it is counted, and Escape closes what says it', async () => {
  const { page, context } = await logIn(browser);
  await settled(page);
  const stats = page.locator('.stat');
  expect(await stats.count()).toBeGreaterThan(4);
  expect(await stats.getByRole('button', { name: /^How is this counted/ }).count()).toBe(await stats.count());

  const button = page.getByRole('button', { name: 'How is this counted: AI share of new lines' }).first();
  await button.focus();
  await page.keyboard.press('Enter');
  const definition = page.getByRole('note').filter({ visible: true });
  expect(await definition.textContent()).toContain('(kept + 0.5 × changed) ÷ attributable lines');
  await page.keyboard.press('Escape');
  await definition.waitFor({ state: 'hidden' });
  await context.close();
});

it('the theme that is chosen stays', async () => {
  const { page, context } = await logIn(browser, { colorScheme: 'light' });
  await page.getByRole('button', { name: 'Use the dark theme' }).click();
  await visit(page, '/projects');
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  await context.close();
});

it('the period is in the address, and another one shows other numbers', async () => {
  const { page, context } = await logIn(browser);
  await settled(page);
  const lines = page.locator('.stat', { hasText: /^Attributable lines/ }).locator('.stat-value');
  await expect(lines.textContent()).resolves.toBe('890');
  await page.getByRole('radio', { name: '90 days' }).check();
  // All of the sample's commits are younger than that.
  await lines.filter({ hasText: /^1,419$/ }).waitFor();
  expect(page.url()).toContain('period=90d');
  await context.close();
});

it('a page is as wide as a telephone', async () => {
  const { page, context } = await logIn(browser);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [
    '/',
    '/repository?repository=sample',
    '/file?repository=sample&path=web/src/board.ts',
  ]) {
    await visit(page, path);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  }
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Commits' }).click();
  await page.getByRole('heading', { level: 1, name: 'Commits' }).waitFor();
  await context.close();
});
