import type { Browser } from 'playwright-core';
import { claimProject, createApiKey } from '@lineprint/persistence';
import {
  connectToBrowser,
  logIn,
  openPage,
  type OpenPage,
  seriousViolations,
  settled,
  visit,
} from '../browser-page';
import { type DashboardServer, startDashboard } from '../dashboard-server';

let browser: Browser;
let server: DashboardServer;
let opened: OpenPage;
beforeAll(async () => {
  server = await startDashboard();
  await claimProject(server.database, 'acme', 'shop');
  const { key } = await createApiKey(server.database, { orgId: 'acme', scopes: ['admin'] });
  browser = await connectToBrowser();
  opened = await openPage(browser);
  await opened.page.goto(`${server.url}/#key=${key}`);
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const NOTHING_YET = 'No lines were added in this period';
const OF_A_PERIOD = [
  NOTHING_YET,
  'No code is followed yet',
  'No line has been followed yet',
  'No AI lines in this period',
];
const COMMITS = 'No commit has been analysed yet';
const NOBODY = 'Nobody has added a line in this period';

/** Each page, and what it says where an organisation has nothing yet. */
const PAGES: readonly [path: string, says: readonly string[]][] = [
  ['/', [...OF_A_PERIOD, NOBODY, COMMITS]],
  ['/projects', [NOTHING_YET]],
  ['/projects/shop', [...OF_A_PERIOD, NOBODY, COMMITS]],
  ['/people', [NOBODY]],
  ['/people/ada@acme.dev', [...OF_A_PERIOD, 'No code is followed yet', COMMITS]],
  ['/teams', ['No team yet']],
  ['/repositories', ['No repository is followed yet']],
  ['/repository?repository=shop', ['Nothing is followed here']],
  ['/commits', [COMMITS]],
  ['/policies', ['There is one policy only']],
  ['/quality', ['Nothing is missing in 0 repositories', 'Every changed file counts']],
];

it.each(PAGES)('%s says what is not there yet', async (path, says) => {
  const { page } = opened;
  await page.goto(`${server.url}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);
  expect(await page.locator('.empty-title').allTextContents()).toEqual(says);
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await seriousViolations(page)).toEqual([]);
});

it('no script has failed on the way', () => {
  expect(opened.errors).toEqual([]);
});

it('a file without lines and a commit without files say so', async () => {
  const { page, context } = await logIn(browser);
  const sha = 'c0ffee'.padEnd(40, '0');
  await page.route('**/api/v1/files/lines?*', (route) =>
    route.fulfill({
      json: {
        excluded: null,
        repository: 'sample',
        path: 'src/empty.ts',
        commit: sha,
        ref: null,
        lines: [],
        text: [],
        textMissing: null,
      },
    }),
  );
  await visit(page, '/file?repository=sample&path=src/empty.ts');
  await page.getByText('The file is empty').waitFor();

  await page.route(`**/api/v1/commits/${sha}?*`, (route) =>
    route.fulfill({
      json: {
        repository: 'sample',
        sha,
        projectId: 'sample',
        userId: 'mara@harbour.example',
        authorName: 'Mara Lind',
        authorEmail: 'mara@harbour.example',
        parents: [],
        authoredAt: '2026-03-13T11:20:00Z',
        committedAt: '2026-03-13T11:20:00Z',
        branch: null,
        declaredTool: null,
        declaredBy: null,
        late: false,
        revision: 0,
        counted: true,
        files: [],
      },
    }),
  );
  await visit(page, `/commit?repository=sample&sha=${sha}`);
  await page.getByText('This commit adds no lines').waitFor();
  await context.close();
});
