/** The dashboard's first visit in a browser that knows nothing of it. */
import { chromiumPath, ensurePrograms } from '../../tools/servers/programs.mjs';
import { round } from '../table.mjs';

const VISITS = 5;

/**
 * @param {{address: string, apiKey: string, period: {start: string, end: string}, log: (line: string) => void}} options
 * @returns {Promise<{visits: number, kilobytes: number, requests: number, firstFiguresMs: number, baselineMs: number}>}
 *   medians; kilobytes of 1,024 bytes as they travel, headers and answers of the API included, until nothing loads any
 *   more; `baselineMs`: the same browser, to an answer of the same server without scripts
 */
export async function measureFirstLoad({ address, apiKey, period, log }) {
  await ensurePrograms(['chromium'], { prefix: 'LINEPRINT_', log });
  const { chromium } = await import('playwright-core');
  // Chromium's sandbox refuses root; only our own pages are opened.
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  try {
    const visits = [];
    for (let n = 0; n < VISITS; n++) visits.push(await visit(browser, { address, apiKey, period }));
    const median = (figure) => visits.map((one) => one[figure]).sort((a, b) => a - b)[(VISITS - 1) / 2];
    const answer = {
      visits: VISITS,
      kilobytes: round(median('bytes') / 1024, 1),
      requests: median('requests'),
      firstFiguresMs: round(median('firstFiguresMs'), 0),
      baselineMs: round(median('baselineMs'), 0),
    };
    log(`first load: ${JSON.stringify(answer)}`);
    return answer;
  } finally {
    await browser.close();
  }
}

async function visit(browser, { address, apiKey, period }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const baselineMs = await millisecondsOf(() => page.goto(`${address}/health/live`));
    const sizes = [];
    page.on('requestfinished', (request) => sizes.push(request.sizes()));
    const { start, end } = period;
    const firstFiguresMs = await millisecondsOf(async () => {
      await page.goto(`${address}/?period=custom&start=${start}&end=${end}#key=${apiKey}`);
      await page.locator('.stat-value').first().waitFor();
    });
    await page.locator('.loading, .chart-space').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle');
    const all = await Promise.all(sizes);
    const bytes = all.reduce((sum, one) => sum + one.responseHeadersSize + one.responseBodySize, 0);
    return { baselineMs, firstFiguresMs, bytes, requests: all.length };
  } finally {
    await context.close();
  }
}

async function millisecondsOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
