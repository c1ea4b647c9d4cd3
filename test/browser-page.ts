import { type AxeResults, source as axeSource } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

// A page with all of its charts takes seconds on a busy machine: jest's 5 s are too short for a test of several.
jest.setTimeout(60_000);

/** Of `tools/stage.mjs`, which `npm test` starts. */
function stage(name: 'DASHBOARD_URL' | 'BROWSER_URL'): string {
  const value = process.env[`LINEPRINT_TEST_${name}`];
  if (!value) throw new Error(`LINEPRINT_TEST_${name} is not set: node tools/stage.mjs prints it`);
  return value;
}

/** The address that the demo prints, with its key. */
export const openedUrl = (): string => stage('DASHBOARD_URL');
/** The address of a page, without a key. */
export const pageUrl = (path: string): string => new URL(path, openedUrl()).href;

export const connectToBrowser = (): Promise<Browser> => chromium.connect(stage('BROWSER_URL'));

/** A page of its own session, and what went wrong in it. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, refusals of the Content-Security-Policy among them. */
  readonly errors: readonly string[];
  /** Addresses that were asked, other than the dashboard's own server. */
  readonly foreign: readonly string[];
}

/** Opens a page that is not logged in. */
export async function openPage(
  browser: Browser,
  options: { colorScheme?: 'light' | 'dark' } = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // A refused request is shown on the page; tests of failures make them on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      errors.push(message.text());
    }
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(pageUrl('/'))) foreign.push(request.url());
  });
  return { page, context, errors, foreign };
}

/** Opens the dashboard by the address that the demo prints, and waits for its first numbers. */
export async function logIn(
  browser: Browser,
  options: { colorScheme?: 'light' | 'dark' } = {},
): Promise<OpenPage> {
  const opened = await openPage(browser, options);
  await opened.page.goto(openedUrl());
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  return opened;
}

/** Goes to a page as a link does, without losing the session, and waits until all that it asked for is there. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(pageUrl(path));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);
}

/** Waits until nothing of the page is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.loading, .chart-space').first().waitFor({ state: 'detached' });
}

/** What axe-core finds that keeps people from using the page: rule, and where. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}
