import type { Browser } from 'playwright-core';
import { DemoService } from '../../../packages/demo/test/demo-service.js';
import { describeWithBrowser, launchBrowser, openPage } from '../../setup/browser.js';

describeWithBrowser("the demo's page", () => {
  let service: DemoService;
  let browser: Browser;
  beforeAll(async () => {
    service = await DemoService.start();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it('shows prices to the buyer and to her assistant', async () => {
    const page = await openPage(browser);
    await page.goto(service.url);
    await page.waitForSelector('body.started');
    await page.getByRole('button', { name: 'Sign in as Anna Keller' }).click();
    await page.waitForSelector('.pane.buyer .offer-price');
    await page.waitForSelector('.pane.assistant .offer-price');
    expect(await page.locator('.pane.buyer .offer-price').first().innerText()).toContain('$');
  });
});
