import type { Browser } from 'playwright-core';
import { describeWithBrowser, launchBrowser, PageWatch } from '../../setup/browser.js';
import { TestService } from '../../setup/test-service.js';

const DOCS = '/api/v1/docs';

let service: TestService;
beforeAll(async () => (service = await TestService.start()));
afterAll(() => service.stop());

it('serves the page to anyone, with the headers of every response', async () => {
  expect(await service.send('GET', DOCS, undefined)).toMatchObject({
    status: 200,
    headers: {
      'content-type': expect.stringMatching(/^text\/html\b/) as string,
      'cache-control': 'private, no-store',
      'service-api-version': '2026-10-13',
    },
  });
});

describeWithBrowser('the documentation page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => (browser = await launchBrowser()));
  afterAll(() => browser.close());

  it('shows both endpoints, and asks no other origin for anything', async () => {
    const page = await browser.newPage();
    const watch = new PageWatch(page, service.url);
    await page.goto(`${service.url}${DOCS}`);
    await page.getByText('/api/v1/deal-sets/{id}').first().waitFor();
    expect(await page.locator('.opblock-summary-path').count()).toBe(2);
    expect(watch.problems).toEqual([]);
  });
});
