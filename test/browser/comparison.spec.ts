import type { Browser, Page } from 'playwright-core';
import { connectToBrowser, logIn, openedUrl, seriousViolations, visit } from '../browser-page';
import { lineprintOutput } from '../programs';

// A replay of the sample takes seconds on a busy machine.
jest.setTimeout(120_000);

const STRICT = ['minBits=60', 'minBitsElsewhere=120', 'minBitsUnplaced=240', 'highBits=200'];
/** An id is used once, and the demo may have been there before. */
const policy = `strict-${Date.now()}`;
const opened = new URL(openedUrl());
const run = (...args: string[]) =>
  lineprintOutput(args, {
    LINEPRINT_URL: opened.origin,
    LINEPRINT_API_KEY: opened.hash.replace('#key=', ''),
  });

let browser: Browser;
let page: Page;
beforeAll(async () => {
  await run('policy', 'create', policy, '--set', ...STRICT, '--exclude', 'web/**');
  await run('replay', 'start', '--policy', policy, '--wait');
  browser = await connectToBrowser();
  ({ page } = await logIn(browser));
  await visit(page, `/policies?from=default&to=${policy}`);
});
afterAll(async () => {
  await browser?.close();
  await run('policy', 'drop', policy, '--yes');
});

const cells = (table: string) =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')));
const count = (text = '') => Number(text.replace(/[,+]/g, '').replace('−', '-'));

it('two policies stand side by side: thresholds, numbers, people and languages', async () => {
  expect(await page.locator('.thresholds').textContent()).toMatch(/minBits \d+ → 60/);
  const [head, ...rows] = await cells(`What default and ${policy} say`);
  expect(head).toEqual(['Number', 'default', policy, 'Change']);
  expect(rows.map(([name]) => name)).toEqual([
    'AI share of new lines',
    'Kept from AI',
    'Changed from AI',
    'Human',
    'AI lines with high confidence',
  ]);
  for (const [, from, to, change] of rows.slice(1)) expect(count(to) - count(from)).toBe(count(change));
  const [, , , kept] = rows[1]!;
  expect(count(kept)).toBeLessThan(0);
  expect((await cells('AI share by person')).length).toBe(1 + 5);
  expect((await cells('AI share by language')).length).toBeGreaterThan(1 + 5);
  expect(await seriousViolations(page)).toEqual([]);
});

it('lines that flip are counted, and each leads to its file', async () => {
  const [, ...flips] = await cells('How many lines flip from what to what');
  expect(flips.map(([, to]) => to)).toContain('not counted');
  const first = page.locator('.flipped').getByRole('link').first();
  const path = (await first.textContent()) ?? '';
  await first.click();
  await page.getByRole('heading', { level: 1, name: path.split('/').at(-1)! }).waitFor();
  await page.goBack();
  await page.getByRole('combobox', { name: 'To' }).waitFor();
});

it('the other way round, and a policy beside itself, can be chosen', async () => {
  await page.getByRole('combobox', { name: 'To' }).selectOption('default');
  await page.getByText('Choose two different policies').waitFor();
  await page.getByRole('combobox', { name: 'From' }).selectOption(policy);
  await page.getByRole('table', { name: `What ${policy} and default say` }).waitFor();
  const [head] = await cells(`What ${policy} and default say`);
  expect(head).toEqual(['Number', policy, 'default', 'Change']);
});
