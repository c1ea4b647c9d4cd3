import type { Browser } from 'playwright-core';
import { connectToBrowser, logIn } from '../browser-page';

let browser: Browser;
beforeAll(async () => {
  browser = await connectToBrowser();
});
afterAll(() => browser.close());

it('from the organisation to one line, who wrote it and how that is known, it is four clicks', async () => {
  const { page, context, errors } = await logIn(browser);
  const head = page.getByRole('region', { name: 'Code at HEAD', exact: true });

  await head.getByRole('link', { name: 'sample', exact: true }).click();
  await page.getByRole('link', { name: /^web/ }).first().click();
  await page.getByRole('link', { name: 'web/src/board.ts', exact: true }).click();
  await page
    .getByRole('option', { name: /Kept from AI/ })
    .nth(5)
    .click();

  const evidence = page.getByRole('complementary', { name: 'Evidence' });
  await evidence.getByText(/^The line is .* of an AI edit: [\d.]+ bits of evidence\.$/).waitFor();
  expect(await evidence.getByRole('definition').allTextContents()).toContain('Tomas Okafor');
  await evidence
    .getByRole('region', { name: 'Alignment with the AI edit' })
    .getByRole('listitem')
    .first()
    .waitFor();
  expect(await page.getByRole('option', { selected: true }).getByRole('code').textContent()).not.toBe('');
  expect(errors).toEqual([]);
  await context.close();
});
