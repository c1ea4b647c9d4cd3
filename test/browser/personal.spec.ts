import type { Browser, Page } from 'playwright-core';
import { createApiKey } from '@lineprint/persistence';
import { seedCommit, seedDaily, shaOf } from '../../apps/query-api/src/testing/seed';
import { connectToBrowser, openPage, settled } from '../browser-page';
import { type DashboardServer, startDashboard } from '../dashboard-server';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider';

let browser: Browser;
let provider: IdentityProvider;
let server: DashboardServer;

beforeAll(async () => {
  provider = await startIdentityProvider();
  server = await startDashboard({
    LINEPRINT_OIDC_ISSUER: provider.issuer,
    LINEPRINT_OIDC_AUDIENCE: 'https://lineprint.acme.dev',
    LINEPRINT_OIDC_ORGANISATION_CLAIM: 'org',
    LINEPRINT_OIDC_ROLES: 'platform-team=admin',
  });
  for (const [sha, user, human] of [
    ['a1', 'ada@acme.dev', 1],
    ['b1', 'bob@acme.dev', 10],
  ] as const) {
    await seedCommit(server.database, {
      sha: shaOf(sha),
      day: '2026-06-10',
      user,
      authorName: user === 'ada@acme.dev' ? 'Ada' : 'Bob',
      files: [{ path: 'a.ts', results: [{ human }] }],
    });
  }
  await seedDaily(server.database);
  browser = await connectToBrowser();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await server?.close();
  await provider?.stop();
});

const PERIOD = 'period=custom&start=2026-06-01&end=2026-06-30';
const lines = (page: Page) =>
  page
    .locator('.stat', { hasText: /^Attributable lines/ })
    .locator('.stat-value')
    .textContent();

async function seesOwnOnly(page: Page): Promise<void> {
  await page.goto(`${server.url}/?${PERIOD}`);
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
  await settled(page);
  expect(await lines(page)).toBe('1');
  for (const path of ['/people', '/commits']) {
    await page.goto(`${server.url}${path}?${PERIOD}`);
    await page.getByRole('main').getByRole('row').nth(1).waitFor();
    expect(await page.getByRole('main').textContent()).toContain('Ada');
    expect(await page.getByRole('main').textContent()).not.toContain('Bob');
  }
  await page.goto(`${server.url}/people/bob@acme.dev?${PERIOD}`);
  await page.getByRole('alert').getByText('Another person').first().waitFor();
  expect(await page.locator('.stat').count()).toBe(0);
}

it('a personal key leads to the own page, and shows nobody else', async () => {
  const { key } = await createApiKey(server.database, {
    orgId: 'acme',
    scopes: ['read'],
    userId: 'ada@acme.dev',
  });
  const { page, context, errors } = await openPage(browser);
  await page.goto(`${server.url}/#key=${key}`);
  await seesOwnOnly(page);
  expect(errors).toEqual([]);
  await context.close();
});

/** From the login page by the provider's form, which only wants to know who one is, and back. */
async function logInAtProvider(page: Page, login: string): Promise<void> {
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Log in with your organisation' }).click();
  await page.getByLabel('Login').fill(login);
  expect(page.url().startsWith(provider.issuer)).toBe(true);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.url}/`);
}

it('a developer who logs in at the identity provider lands on the own page', async () => {
  const { page, context, errors } = await openPage(browser);
  await logInAtProvider(page, 'ada');
  await seesOwnOnly(page);
  expect(errors).toEqual([]);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('API key').waitFor();
  await context.close();
});

it('an administrator who logs in there sees the organisation', async () => {
  const { page, context } = await openPage(browser);
  await logInAtProvider(page, 'boss');
  await page.goto(`${server.url}/?${PERIOD}`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await settled(page);
  expect(await lines(page)).toBe('11');
  await context.close();
});

it('a login that the page did not begin is not taken', async () => {
  const { page, context } = await openPage(browser);
  await page.goto(`${server.url}/login/callback?code=stolen&state=none`);
  await page.getByRole('alert').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await context.close();
});
