import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  priceCheck,
  question,
  written,
} from '../../../test/builders/index.js';
import {
  accessibilityProblems,
  APPEARANCES,
  describeWithBrowser,
  keepScreenshot,
  launchBrowser,
  layoutProblems,
  PageWatch,
  setAppearance,
  openPage,
} from '../../../test/setup/browser.js';
import { McpService, type ToolResult } from '../../../test/setup/mcp-service.js';
import type { Credential } from '../../../test/setup/test-service.js';

const PACKAGE = path.resolve(__dirname, '..');
const DEALER = 'Redwood Motors';
const ORIGIN = 'http://host.invalid';

const anna = buyer();
const dealer = dealership({ name: DEALER, verifiedPartner: true });
const small = dealSet({ buyerId: anna.id });
const large = dealSet({ buyerId: anna.id });
const empty = dealSet({ buyerId: anna.id });
const asking = dealSet({ buyerId: anna.id });
const offer = (dealSetId: string, cents: number, trim: string, listCents: number | null) =>
  priceCheck({
    buyerId: anna.id,
    dealershipId: dealer.id,
    dealSetId,
    listing: { year: 2025, model: 'CR-V', trim, listedAtCents: listCents },
    unlockedAt: '2026-01-05T00:00:00Z',
    ...written(cents),
  });
const lowest = offer(small.id, 3_000_000, 'EX', 3_100_000);
const hidden = priceCheck({
  buyerId: anna.id,
  dealershipId: dealer.id,
  dealSetId: asking.id,
  listing: { year: 2025, model: 'Accord' },
});
const CLEARED = 'May we call you?';
const records = [
  ...[anna, dealer, small, large, empty, asking, lowest, hidden, grant({ buyerId: anna.id })],
  offer(small.id, 3_034_550, 'EX', 3_200_000),
  offer(small.id, 3_250_000, 'EX-L', null),
  priceCheck({ buyerId: anna.id, dealershipId: dealer.id, dealSetId: small.id }),
  question({ priceCheckId: lowest.id, text: `Is ${DEALER} near you?`, otdCents: 3_000_000 }),
  draft({ priceCheckId: lowest.id }),
  question({
    priceCheckId: hidden.id,
    category: 'delivery',
    text: `May ${DEALER} call you?`,
    textWhileHidden: CLEARED,
    answerMode: 'yes_no',
    askedAt: '2026-01-04T01:00:00Z',
  }),
  question({
    priceCheckId: hidden.id,
    answerMode: 'choice',
    askedAt: '2026-01-04T02:00:00Z',
  }),
  question({
    priceCheckId: hidden.id,
    category: 'contact',
    answerMode: 'date_of_birth',
    askedAt: '2026-01-04T03:00:00Z',
  }),
  draft({ priceCheckId: hidden.id, bodyWhileHidden: CLEARED, createdAt: '2026-01-04T04:00:00Z' }),
  ...Array.from({ length: 150 }, (_, index) =>
    offer(large.id, 3_100_000 + index * 100, `EX-${index % 3}`, null),
  ),
];

/** The function `showView` of the host's page, as `test/host-page/host.ts` declares it. */
type ShowView = (view: {
  html: string;
  result: ToolResult;
  theme: string;
  hasServerTools: boolean;
}) => Promise<void>;
declare const window: { showView: ShowView; setTheme: (theme: string) => void };

describeWithBrowser('the view of a deal set in a host', () => {
  let mcp: McpService;
  let assistant: Credential;
  let browser: Browser;
  let page: Page;
  let watch: PageWatch;
  let html: string;

  beforeAll(async () => {
    mcp = await McpService.start();
    await load(mcp.service.database, records);
    assistant = await mcp.tokenFor(anna.id);
    const { message } = await mcp.request(
      'resources/read',
      { uri: 'ui://deal-sets/deal-set.html' },
      assistant,
      { 'mcp-name': 'ui://deal-sets/deal-set.html' },
    );
    html = (message.result as unknown as { contents: { text: string }[] }).contents[0]!.text;
    // The bundler runs in a separate process because it is an ES module.
    const code = `import { bundle } from './bundle.js'; process.stdout.write(await bundle('test/host-page/host.ts'));`;
    const script = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: PACKAGE,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    browser = await launchBrowser();
    page = await openPage(browser);
    watch = new PageWatch(page, ORIGIN);
    await page.route(`${ORIGIN}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: HOST_PAGE }),
    );
    await page.exposeFunction('callTool', (call: { name: string; arguments: object }) =>
      mcp.tool(call.name, { ...call.arguments }, assistant),
    );
    await page.addInitScript(script);
  });
  beforeEach(async () => {
    await page.goto(`${ORIGIN}/`);
  });
  afterEach(() => expect(watch.problems).toEqual([]));
  afterAll(async () => {
    await browser.close();
    await mcp.stop();
  });

  async function show(
    result: ToolResult,
    { theme = 'light', hasServerTools = true } = {},
  ): Promise<FrameLocator> {
    await page.evaluate((view) => window.showView(view), { html, result, theme, hasServerTools });
    return page.frameLocator('iframe');
  }
  const read = (dealSetId: string): Promise<ToolResult> =>
    mcp.tool('get_deal_set', { dealSetId }, assistant);
  const viewFrame = () => page.frames()[1]!;

  it.each(APPEARANCES)(
    'shows the offers, and what waits for the buyer: %s',
    async (device, look, size) => {
      const isForced = look === 'forced colors';
      const theme = look === 'dark' ? 'dark' : 'light';
      // The view follows the host's theme, not the device's, and the device's contrast theme.
      const other = theme === 'light' ? 'dark' : 'light';
      await setAppearance(page, isForced ? look : other, size);
      const view = await show(await read(small.id), { theme });
      const ranked = view.locator('ol.offers > li');
      await ranked.first().waitFor();
      // One list over all trims, whose bars are as long as the gaps.
      expect(await ranked.locator('.offer-price').allInnerTexts()).toEqual([
        '$30,000\nbest price',
        '$30,345.50\n+$345.50',
        '$32,500\n+$2,500',
      ]);
      expect(await ranked.locator('.offer-notes').allInnerTexts()).toEqual([
        expect.stringMatching(/^EX · Verified partner\* · written .+ ago$/),
        expect.stringMatching(/^EX · Verified partner\* · written .+ ago$/),
        expect.stringMatching(/^EX-L · Verified partner\* · written .+ ago$/),
      ]);
      const lengths = await viewFrame().evaluate<number[]>(
        `[...document.querySelectorAll('.bar > div')].map((bar) => parseFloat(bar.style.width))`,
      );
      expect(lengths).toEqual([0, 13.8, 100]);
      await view.getByText('not shared with your assistant').first().waitFor();
      expect((await ranked.first().boundingBox())?.y).toBeLessThan(size.height / 2);
      await view.getByText('Waiting for a price (1)').click();
      expect(await view.locator('ul > li').allInnerTexts()).toEqual([
        'A draft is ready to send: 2025 CR-V EX, listed at $31,000\nWords not shared with your assistant',
        'A question about a trade-in: 2025 CR-V EX, listed at $31,000 · price: $30,000 out the door\nAnswer: in words\nWords not shared with your assistant',
        expect.stringMatching(
          /^2025 CR-V EX-L, about 1,200 miles\s+Waiting for a written price · Verified partner\*$/,
        ),
      ]);
      expect(await view.getByText(/^\* Verified partner: the dealership pays/).count()).toBe(1);
      const text = await view.locator('body').innerText();
      expect(text).toContain('A draft is ready to send');
      expect(text).toContain('3 in writing, 1 waiting');
      expect(text).not.toContain(DEALER);
      expect(text).not.toMatch(/null|undefined|NaN/);
      const background = () =>
        viewFrame().evaluate<string>('getComputedStyle(document.body).backgroundColor');
      const shown = await background();
      expect(shown).toBe(theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(26, 30, 28)');
      expect(await layoutProblems(viewFrame())).toEqual([]);
      await keepScreenshot(page, `view-${device}-${look}`);

      // The device's contrast theme wins over the theme of a host.
      if (isForced) return;
      await page.evaluate((to) => window.setTheme(to), other);
      await view.locator(`html[data-theme=${other}]`).waitFor();
      expect(await background()).not.toBe(shown);
      expect(await accessibilityProblems(viewFrame())).toEqual([]);
    },
  );

  it('has the same line in place of the words of each item, whatever the buyer may read', async () => {
    const view = await show(await read(asking.id));
    const line = 'Words not shared with your assistant';
    const items = view.getByRole('listitem').filter({ hasText: line });
    await items.first().waitFor();
    expect(await items.allInnerTexts()).toEqual([
      `A question about delivery: 2025 Accord\nAnswer: yes or no\n${line}`,
      `A question about a trade-in: 2025 Accord\nAnswer: one of several choices\n${line}`,
      `A question about how to reach you: 2025 Accord\nAnswer: date of birth\n${line}`,
      `A draft is ready to send: 2025 Accord\n${line}`,
    ]);
    expect(await view.locator('body').innerText()).not.toContain(CLEARED);
  });

  it('reads the rest of a large deal set with the keyboard alone', async () => {
    const first = await read(large.id);
    expect(first.structuredContent).toHaveProperty('next');
    const view = await show(first);
    const rows = view.locator('ol.offers > li');
    const more = view.getByRole('button', { name: 'Show more' });
    await more.waitFor();
    await page.keyboard.press('Tab');
    for (let shown = await rows.count(); shown < 150; shown = await rows.count()) {
      await view.locator('button:focus').waitFor();
      expect(await accessibilityProblems(viewFrame())).toEqual([]);
      await page.keyboard.press('Enter');
      await rows.nth(shown).waitFor();
    }
    expect(await rows.count()).toBe(150);
    expect(await more.count()).toBe(0);
    await view.locator('#offers:focus').waitFor();
  });

  it('refers to the assistant in a host that does not pass tool calls on', async () => {
    const view = await show(await read(large.id), { hasServerTools: false });
    await view.getByText('Ask the assistant for it.').waitFor();
    expect(await view.getByRole('button').count()).toBe(0);
  });

  it('reports that there is no offer, and that the offers could not be loaded', async () => {
    const without = await show(await read(empty.id));
    await without.getByText('No dealership has put a price').waitFor();
    const failed = await show(await read('5f0c1a52-7c3e-4d0e-9a51-0c7a7f6a1b01'));
    await failed.getByText('The offers could not be loaded.').waitFor();
  });

  it('cannot reach the network', async () => {
    const view = await show(await read(empty.id));
    await view.getByRole('heading', { level: 1 }).waitFor();
    const load = `fetch('${ORIGIN}/').then(() => 'loaded', () => 'blocked')`;
    expect(await viewFrame().evaluate(load)).toBe('blocked');
    const violation = watch.problems.splice(0);
    expect(violation.join()).toContain('Content Security Policy');
  });
});

const HOST_PAGE =
  '<!doctype html><html lang="en"><head><title>Host</title></head><body style="margin: 0"></body></html>';
