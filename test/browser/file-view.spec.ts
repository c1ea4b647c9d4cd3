import type { Browser, Page } from 'playwright-core';
import { connectToBrowser, logIn, seriousViolations, visit } from '../browser-page';

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await connectToBrowser();
  ({ page } = await logIn(browser));
});
afterAll(() => browser.close());
afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

const COMMIT = 'c0ffee'.padEnd(40, '0');
const ORIGIN = {
  commit: COMMIT,
  path: 'src/tide.ts',
  line: 0,
  author: 'Mara Lind',
  userId: 'mara@harbour.example',
  at: '2026-03-13T11:20:00Z',
};
const MATCHED = {
  copiedFrom: null,
  evidence: 'matched',
  codeId: 's-1-0',
  source: 'chat',
  model: 'opal-chat-3',
};
const ANSWER = {
  excluded: null,
  repository: 'sample',
  path: 'src/tide.ts',
  commit: COMMIT,
  ref: 'refs/heads/main',
  lines: [
    {
      ...MATCHED,
      start: 0,
      count: 1,
      kind: 'P',
      confidence: 'HIGH',
      origin: ORIGIN,
      explanations: [{ line: 0, rule: 'line', snippetLine: 4, bits: 12.4 }],
    },
    {
      ...MATCHED,
      start: 1,
      count: 1,
      kind: 'M',
      confidence: 'LOW',
      origin: { ...ORIGIN, line: 1 },
      explanations: [{ line: 1, rule: 'shape', snippetLine: 5, bits: 7.25 }],
    },
    { start: 2, count: 1, kind: 'blank', origin: null, explanations: [] },
    { start: 3, count: 1, kind: 'H', evidence: 'none', origin: { ...ORIGIN, line: 3 }, explanations: [] },
    { start: 4, count: 1, kind: 'unknown', origin: null, explanations: [] },
    { start: 5, count: 1, kind: 'excluded', origin: null, explanations: [] },
  ],
  text: ['const a = 1;', 'const b = 2;', '', 'const c = 3;', 'const d = 4;', 'const e = 5;'],
  textMissing: null,
};

async function openFile(answer: object = ANSWER): Promise<void> {
  await page.route('**/api/v1/files/lines?*', (route) => route.fulfill({ json: answer }));
  await page.route('**/api/v1/snippets/*/alignment?*', (route) =>
    route.fulfill({
      json: {
        words: '1 of 3 lines equal, 1 renamed, 1 gone or joined; 20 bits',
        lines: [
          { line: 4, tokens: 5, matched: { newLine: 0, rule: 'line', bits: 12.4, kind: 'P' } },
          { line: 5, tokens: 5, matched: { newLine: 1, rule: 'shape', bits: 7.25, kind: 'M' } },
          { line: 6, tokens: 1, matched: null },
        ],
      },
    }),
  );
  await visit(page, '/file?repository=sample&path=src/tide.ts');
}

const evidence = () => page.getByRole('complementary', { name: 'Evidence' });
const sentence = () => evidence().locator('.evidence-sentence').textContent();

it('lines differ by letter and by words, not by colour alone', async () => {
  await openFile();
  const lines = page.getByRole('option');
  expect(await lines.locator('.line-letter').allTextContents()).toEqual(['K', 'C', '', 'H', '?', 'X']);
  expect(await lines.locator('.visually-hidden').allTextContents()).toEqual([
    'Kept from AI',
    'Changed from AI',
    'Blank',
    'Human',
    'Unknown origin',
    'Excluded',
  ]);
});

it('arrow keys go from line to line, and the evidence of each is said in words', async () => {
  await openFile();
  await page.getByRole('listbox').focus();
  expect(await sentence()).toBe('The line is equal to line 5 of an AI edit: 12 bits of evidence.');
  await page.keyboard.press('ArrowDown');
  expect(await sentence()).toBe(
    'The line is of the same shape, with other names, as line 6 of an AI edit: 7.3 bits of evidence.',
  );
  expect(page.url()).toContain('line=2');
  await page.keyboard.press('End');
  expect(await sentence()).toMatch(/^The file does not count/);
  await page.keyboard.press('ArrowUp');
  expect(await sentence()).toMatch(/before the part of the history/);
  expect(await page.getByRole('listbox').getAttribute('aria-activedescendant')).toBe('line-5');
});

it('pointing at a line shows its evidence for as long as one does', async () => {
  await openFile();
  await page.getByRole('option').nth(3).hover();
  expect(await sentence()).toMatch(/^A person’s line/);
  await page.getByRole('heading', { level: 1 }).hover();
  expect(await sentence()).toMatch(/^The line is equal/);
});

it('a matched line is shown beside the AI edit that it comes from, line by line', async () => {
  await openFile();
  const alignment = page.getByRole('region', { name: 'Alignment with the AI edit' });
  await alignment.getByText('1 of 3 lines equal, 1 renamed, 1 gone or joined; 20 bits').waitFor();
  expect(await alignment.getByRole('listitem').allTextContents()).toEqual([
    '5equalline 112 bits',
    '6renamedline 27.3 bits',
    '7gone',
  ]);
  await alignment.getByRole('button', { name: 'line 2' }).click();
  expect(await sentence()).toMatch(/of the same shape/);
});

it('where the text may not be shown, line numbers are, and why', async () => {
  await openFile({ ...ANSWER, text: null, textMissing: 'scope' });
  await page.getByText('that needs the scope “code”').waitFor();
  expect(await page.locator('.line-number').allTextContents()).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(await seriousViolations(page)).toEqual([]);
});

it('of a file with 20,000 lines only those in sight are in the page, and any can be gone to', async () => {
  const text = Array.from({ length: 20_000 }, (_, line) => `line ${line}`);
  await openFile({
    ...ANSWER,
    lines: [{ start: 0, count: text.length, kind: 'H', evidence: 'none', origin: ORIGIN, explanations: [] }],
    text,
  });
  expect(await page.getByRole('option').count()).toBeLessThan(150);
  await page.getByRole('listbox').focus();
  await page.keyboard.press('End');
  await page.locator('#line-20000').waitFor();
});

it('of 1,000 files only those in sight are in the page, and all of them can be scrolled to', async () => {
  const file = (name: number) => ({
    path: `src/file-${String(name).padStart(4, '0')}.ts`,
    language: 'typescript',
    lines: 10,
    preserved: 5,
    modified: 0,
    human: 5,
    unknown: 0,
    weighted: 5,
    ratio: 0.5,
    lastCommit: null,
  });
  await page.route('**/api/v1/files?*', (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after') ?? 0);
    return route.fulfill({
      json: {
        head: null,
        files: Array.from({ length: 200 }, (_, index) => file(after + index)),
        next: after + 200 < 1000 ? String(after + 200) : null,
      },
    });
  });
  await visit(page, '/repository?repository=sample');
  const files = page.getByRole('table', { name: 'Files at HEAD' });
  expect(await files.getByRole('row').count()).toBeLessThan(80);
  const last = files.getByRole('link', { name: 'src/file-0999.ts' });
  while (!(await last.isVisible())) {
    await files.locator('.file-scroll').hover();
    await page.mouse.wheel(0, 20_000);
    await page.waitForTimeout(20);
  }
  expect(await files.getByRole('row').count()).toBeLessThan(80);
});
