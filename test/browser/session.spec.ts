import type { Browser } from 'playwright-core';
import { connectToBrowser, logIn, openedUrl, openPage, pageUrl, seriousViolations } from '../browser-page';

let browser: Browser;
beforeAll(async () => {
  browser = await connectToBrowser();
});
afterAll(() => browser.close());

const key = () => new URL(openedUrl()).hash.replace('#key=', '');

it('the key that the demo prints is taken out of the address and kept until the tab is closed', async () => {
  const { page, context } = await logIn(browser);
  expect(page.url()).toBe(pageUrl('/'));
  expect(await page.evaluate('[sessionStorage.length, localStorage.length]')).toEqual([1, 0]);
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goBack();
  expect(page.url()).not.toContain('key=');
  await context.close();
});

it('a page that nobody is logged in to asks for a key', async () => {
  const { page, context, errors, foreign } = await openPage(browser);
  await page.goto(pageUrl('/projects'));
  await page.getByLabel('API key').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByLabel('API key').fill(key());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  expect([errors, foreign]).toEqual([[], []]);
  await context.close();
});

it('a key that is refused leads back to the login, which says so', async () => {
  const { page, context } = await openPage(browser);
  await page.goto(pageUrl('/'));
  await page.getByLabel('API key').fill('lp_000000000000_not-a-key');
  await page.keyboard.press('Enter');
  expect(await page.getByRole('alert').textContent()).toContain('unknown, expired or revoked');
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await context.close();
});

it('logging out forgets the key', async () => {
  const { page, context } = await logIn(browser);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('API key').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await context.close();
});

it('the address with a key may be opened where the login is shown', async () => {
  const { page, context } = await openPage(browser);
  await page.goto(pageUrl('/'));
  await page.getByLabel('API key').waitFor();
  await page.goto(openedUrl());
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(page.url()).toBe(pageUrl('/'));
  await context.close();
});
