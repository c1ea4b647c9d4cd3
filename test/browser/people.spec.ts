import type { Browser } from 'playwright-core';
import { connectToBrowser, logIn, visit } from '../browser-page';

let browser: Browser;
beforeAll(async () => {
  browser = await connectToBrowser();
});
afterAll(() => browser.close());

const LINES = { preserved: 2, modified: 2, human: 1, lines: 5, weighted: 3, ratio: 0.6, commits: 1 };
const USE = { suggestionsShown: 0, suggestionsAccepted: 0, chatEdits: 0, agentTasks: 0 };
const someone = (name: string, kind: string) => ({
  personId: `${name.toLowerCase()}@harbour.example`,
  name,
  kind,
  ...LINES,
  ...USE,
});

it('bots and assistants are among people only where one asks for them', async () => {
  const { page, context } = await logIn(browser);
  await page.route('**/api/v1/people?*', (route) =>
    route.fulfill({
      json: {
        period: { start: '2026-02-16', end: '2026-03-17' },
        people: [someone('Mara', 'person'), someone('Renovate', 'bot'), someone('Opal', 'assistant')],
        next: null,
      },
    }),
  );
  await visit(page, '/');
  const contributors = page.getByRole('region', { name: 'Contributors', exact: true });
  expect(await contributors.getByRole('rowheader').allTextContents()).toEqual(['Mara']);
  await contributors.getByRole('link', { name: 'All people' }).click();
  const rows = page.getByRole('main').getByRole('rowheader');
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
  expect(await rows.allTextContents()).toEqual(['Mara']);
  await page.getByLabel('Show bots and assistants').check();
  expect(await rows.allTextContents()).toEqual(['Mara', 'Renovatebot', 'Opalassistant']);
  expect(page.url()).toContain('bots=shown');
  await context.close();
});

it('a person’s page has the models of that person’s lines, and no contributors', async () => {
  const { page, context } = await logIn(browser);
  await visit(page, '/people/mara@harbour.example');
  const lines = async () => {
    const models = page.getByRole('region', { name: 'Models', exact: true });
    const texts = await models.locator('tbody td:nth-child(3)').allTextContents();
    return texts.reduce((sum, text) => sum + Number(text), 0);
  };
  const stat = page.locator('.stat', { hasText: /^AI lines, weighted/ }).locator('.stat-value');
  expect(await lines()).toBe(Number(await stat.textContent()));
  expect(await page.getByRole('region', { name: 'Contributors', exact: true }).count()).toBe(0);
  await context.close();
});

it('under the survival curve, weeks say what became of their lines', async () => {
  const { page, context } = await logIn(browser);
  await visit(page, '/');
  const cohorts = page.getByRole('table', { name: /^Lines by week of birth/ });
  const [newest, ...older] = await cohorts.getByRole('row').allTextContents();
  expect(newest).toBe('Week ofLinesBorn7 d30 d90 dNow');
  expect(older.at(-2)).toMatch(/^2 Feb 2026AI lines205/);
  await context.close();
});
