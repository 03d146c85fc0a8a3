import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import {
  accessibilityProblems,
  APPEARANCES,
  describeWithBrowser,
  DESKTOP,
  keepScreenshot,
  launchBrowser,
  layoutProblems,
  PageWatch,
  PHONE,
  setAppearance,
  widthProblems,
  openPage,
} from '../../../test/setup/browser.js';
import { eventually } from '../../../test/setup/eventually.js';
import { PageFiles } from '../src/page/page-files.js';
import { DemoService } from './demo-service.js';

const API = '**/api/v1/deal-sets*';

/** Intervals of the page's scripts, and those of the tests. */
const INTERVALS = [
  ['POLL_EVERY_MS = 2_000', 'POLL_EVERY_MS = 400'],
  // A change stays highlighted, however slow the machine is.
  ['HIGHLIGHT_MS = 4_000', 'HIGHLIGHT_MS = 600_000'],
] as const;

/**
 * Serves the page unchanged, except for these intervals. If the browser replaced them, it would
 * have to intercept every request.
 */
function useIntervalsOfTests({ demo }: DemoService): void {
  const files = demo.service.app.get(PageFiles, { strict: false });
  const send = files.send.bind(files);
  jest
    .spyOn(files, 'send')
    .mockImplementation((...args) =>
      INTERVALS.reduce((text, [from, to]) => text.replace(from, to), send(...args)),
    );
}

describeWithBrowser('the page of the demo', () => {
  let service: DemoService;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let watch: PageWatch;
  beforeAll(async () => {
    service = await DemoService.start();
    useIntervalsOfTests(service);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  const open = async (): Promise<void> => {
    context = await browser.newContext({ viewport: DESKTOP });
    page = await openPage(context);
    watch = new PageWatch(page, service.url);
    await page.goto(service.url);
    await page.waitForSelector('body.started');
  };
  /** Removes the handlers of requests, of which some may still run when a test ends. */
  const leaveHandlers = (): Promise<void> => page.unrouteAll({ behavior: 'ignoreErrors' });
  const expectNoProblems = (): void => {
    // On a busy machine the check of a credential can take over a second. The service then sends
    // 503, and the page waits.
    const problems = watch.problems.splice(0).filter((problem) => !/status of 503/.test(problem));
    expect(problems).toEqual([]);
  };

  const signIn = async (name = 'Anna Keller'): Promise<void> => {
    await page.getByRole('button', { name: `Sign in as ${name}` }).click();
    await page.waitForSelector('.pane.buyer .offer');
  };
  const both = (): Promise<unknown> => page.waitForSelector('.pane.assistant .offer');
  /** The price of the best offer in one half. */
  const best = (who: 'buyer' | 'assistant') => pane(who).locator('.best .offer-price');
  const untilBest = (price: string): Promise<void> =>
    until(
      `[...document.querySelectorAll('.pane .best .offer-price')].every(({ innerText }) => innerText.startsWith('${price}'))`,
    );
  /**
   * Waits until the expression is true. Playwright's own wait would evaluate the text inside the
   * page, which the page's policy forbids.
   */
  const until = (expression: string): Promise<void> =>
    eventually(async () => expect(await page.evaluate(expression)).toBe(true));
  const press = (name: string): Promise<void> => page.getByRole('button', { name }).click();
  const pane = (who: 'buyer' | 'assistant') => page.locator(`.pane.${who}`);
  const rowTops = (who: 'buyer' | 'assistant'): Promise<unknown> =>
    page.evaluate(
      `[...document.querySelectorAll('.pane.${who} .ranking .offer')].map((row) => Math.round(row.getBoundingClientRect().top))`,
    );
  const boxOf = async (locator: Locator) => (await locator.boundingBox())!;
  const answer = (status: number, body: object, headers: Record<string, string>) =>
    page.route(API, (route) => route.fulfill({ status, headers, json: body }));

  describe('that a buyer has just opened', () => {
    beforeEach(open);
    afterEach(async () => {
      await leaveHandlers();
      await context.close();
      expectNoProblems();
    });

    it('is accessible and fits, signed out, in each appearance', async () => {
      for (const [, look, size] of APPEARANCES) {
        await setAppearance(page, look, size);
        expect(await layoutProblems(page)).toEqual([]);
      }
    });

    it('links to API documentation that can be read and does not scroll sideways on a phone', async () => {
      await page.setViewportSize(PHONE);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto(`${service.url}/api/v1/docs`);
      await page.locator('html.dark-mode .opblock').first().waitFor();
      // Operations look alike, and the contrast of each element takes a while to check.
      const [first, ...others] = await page.locator('.opblock-summary-control').all();
      await first!.click();
      await page.locator('.opblock-body .responses-table').first().waitFor();
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        // The page follows the color scheme only when it loads; later a button changes this class.
        await page.evaluate(
          `document.documentElement.classList.toggle('dark-mode', ${colorScheme === 'dark'})`,
        );
        // Some colors change gradually.
        await page.evaluate(
          'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
        );
        expect(await accessibilityProblems(page, { rules: ['color-contrast'] })).toEqual([]);
      }
      for (const operation of others) await operation.click();
      await page.locator('.opblock-body .responses-table').nth(1).waitFor();
      const tooWide = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.swagger-ui *')]
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
          .map((element) => element.tagName + '.' + element.className)`,
      );
      expect(tooWide).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
      expect(await page.locator('.info a[href^=https]').count()).toBe(0);
    });

    it('signs the API documentation in with one click and an approval, without a secret', async () => {
      await page.goto(`${service.url}/api/v1/docs`);
      await page.getByRole('button', { name: 'Authorize' }).click();
      const dialog = page.locator('.modal-ux').filter({ hasText: 'authorizationCode with PKCE' });
      expect(await dialog.getByLabel('client_id').inputValue()).toBe('deal-sets-docs');
      expect(await dialog.locator('[id^=client_secret]').isVisible()).toBe(false);
      // The flow that needs no input comes first, and all of it can be reached in a zoomed window.
      const bearer = await boxOf(dialog.getByText('(http, Bearer)'));
      const apply = dialog.getByRole('button', { name: 'Apply given OAuth2 credentials' });
      expect((await boxOf(apply)).y).toBeLessThan(bearer.y);
      await page.setViewportSize({ width: DESKTOP.width / 2, height: DESKTOP.height / 2 });
      expect((await boxOf(dialog.getByText('Available authorizations'))).y).toBeGreaterThan(0);
      await page.setViewportSize(DESKTOP);
      const [popup] = await Promise.all([context.waitForEvent('page'), apply.click()]);
      await popup.getByRole('button', { name: 'Sign in as Bea Ortiz' }).click();
      await popup.getByText('API documentation').first().waitFor();
      await popup.getByRole('button', { name: 'Approve', exact: true }).click();
      await dialog.getByRole('button', { name: 'Remove authorization' }).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).first().click();
      const operation = page.locator('#operations-Deal_sets-listDealSets');
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      // It lists, because nothing fills in `since`.
      expect(await operation.locator('.request-url').innerText()).not.toContain('since');
      await operation
        .locator('.live-responses-table .response-col_status')
        .getByText('200')
        .waitFor();
    });

    it('shows the commands for a terminal as a page with buttons that copy them', async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('link', { name: 'curl' }).click();
      await page.getByRole('button', { name: 'Copy the variables' }).click({ trial: true });
      await page.getByRole('button', { name: 'Copy everything' }).click();
      await page.getByText('Copied.').waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      const text = await (await fetch(`${service.url}/curl`)).text();
      // The tokens differ.
      const lines = (commands: string): string[] =>
        commands.split('\n').filter((line) => line !== '' && !/^[A-Z_]+=|since=/.test(line));
      expect(lines(copied)).toEqual(lines(text));
      // No command or comment is wrapped, and none of the blocks ends with an empty line.
      const blocks = await page.locator('pre:visible').all();
      expect(blocks).toHaveLength(5);
      for (const block of blocks) {
        const shown = await block.innerText();
        const { height } = await boxOf(block);
        expect(shown).toBe(shown.trim());
        expect(height).toBeLessThan(shown.split('\n').length * 21 + 40);
      }
      expect(await layoutProblems(page)).toEqual([]);
      await page.getByRole('link', { name: 'Back to the demo' }).click();
      await page.waitForSelector('body.started');
    });

    it('has a line to copy for each application with an assistant, with the keyboard too', async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const tabs = page.getByRole('tab');
      const names = ['Claude Code', 'Claude', 'VS Code', 'Cursor', 'ChatGPT', 'mcp-remote'];
      expect(await tabs.allTextContents()).toEqual(names);
      await tabs.first().focus();
      for (const name of [...names.slice(1), names[0]!]) {
        await page.keyboard.press('ArrowRight');
        const panel = page.getByRole('tabpanel', { name, exact: true });
        expect(await panel.innerText()).toContain(`${service.url}/mcp`);
        expect(await panel.innerText()).toMatch(/(Not tried here|Tried with this demo)[^]*Source:/);
      }
      await page.getByRole('tabpanel').getByRole('button', { name: 'Copy' }).click();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
        `claude mcp add --transport http deal-sets ${service.url}/mcp`,
      );
    });

    it('has the chosen request in its address, which can be opened by a signed-out buyer', async () => {
      await signIn();
      const chosen = page.locator('#requests [aria-pressed=true]');
      await page.locator('#requests button').nth(2).click();
      const name = await chosen.innerText();
      const address = page.url();
      await page.locator('#requests button').nth(0).click();
      await page.goBack();
      await eventually(async () => expect(await chosen.innerText()).toBe(name));
      await press('Sign out');
      await page.goto(address);
      await page.getByRole('button', { name: 'Sign in as Anna Keller' }).click();
      await eventually(async () => expect(await chosen.innerText()).toBe(name));
      expect(page.url()).toBe(address);
    });

    it('stops in a tab when another buyer signs in in another', async () => {
      await signIn();
      const other = await openPage(context);
      await other.goto(service.url);
      await other.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('Signed out in another tab').waitFor();
      await other.getByRole('button', { name: 'Sign in as Bea Ortiz' }).click();
      await page.getByText('Bea Ortiz is signed in now').waitFor();
      expect(await page.locator('body').innerText()).not.toContain('Anna');
      expect(await accessibilityProblems(page)).toEqual([]);
      await press('Show the page');
      await page.getByText('Signed in as Bea Ortiz').waitFor();
      // A read that was on its way when the buyer signed out is rejected.
      watch.problems.splice(0);
    });

    it('reads nothing more once the buyer signs out', async () => {
      await signIn();
      await both();
      // The session has ended, and the next page takes longer than several polls.
      await page.route('**/sign-out', async (route) => {
        const response = await route.fetch({ maxRedirects: 0 });
        await setTimeout(1_000);
        await route.fulfill({ response });
      });
      await press('Sign out');
      // If a read were rejected, the browser would report it and `afterEach` would fail.
      await page.getByRole('button', { name: 'Sign in as Anna Keller' }).waitFor();
    });

    it('does not shift the layout while it loads', async () => {
      await page.addInitScript(`
        window.shifts = [];
        new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value)))
          .observe({ type: 'layout-shift', buffered: true });
      `);
      for (const size of [DESKTOP, PHONE]) {
        await page.setViewportSize(size);
        await page.goto(service.url);
        await signIn();
        if (size === DESKTOP) await both();
        await until(`document.querySelector('.poll-state').innerText.includes('without changes')`);
        const shifts = await page.evaluate<number[]>('window.shifts');
        expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.02);
        await press('Sign out');
        await page.getByRole('button', { name: 'Sign in as Anna Keller' }).waitFor();
      }
    });

    it('shows the link to the approval first on a phone, while there is no approval', async () => {
      await page.setViewportSize(PHONE);
      await press('Sign in as Bea Ortiz');
      await page.getByRole('link', { name: 'Approve Road Helper' }).waitFor();
      expect(await pane('buyer').isVisible()).toBe(false);
    });

    it('reports that an assistant which was never approved receives nothing', async () => {
      await signIn('Bea Ortiz');
      await pane('assistant').getByText('gets nothing').waitFor();
      expect(await pane('assistant').innerText()).toContain('Bea has not approved Road Helper.');
      expect(await page.locator('.lead').innerText()).toContain(
        'Bea has not approved Road Helper,',
      );
      expect(await pane('assistant').locator('.fresh').count()).toBe(0);
      expect(await best('buyer').innerText()).toContain('$43,700');
      expect(await accessibilityProblems(page, { within: '.pane.assistant' })).toEqual([]);
    });

    it('lets the buyer sign in again when the session has ended', async () => {
      await signIn();
      await context.clearCookies();
      await pane('buyer').getByText('Her session has ended').waitFor();
      expect(watch.problems.splice(0).join()).toContain('401');
      await page.getByRole('button', { name: 'Sign in again' }).click();
      await page.getByRole('button', { name: 'Sign in as Anna Keller' }).waitFor();
    });

    it('reports that there are no requests yet', async () => {
      const headers = { 'service-as-of': '2026-11-21T12:00:00.000Z', 'service-more': 'false' };
      await answer(200, { data: [] }, headers);
      await page.getByRole('button', { name: 'Sign in as Anna Keller' }).click();
      await page.getByText('No requests yet.').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    it('works with the keyboard alone', async () => {
      // If no element has the focus, `activeElement` is the body, whose text is the text of the
      // whole page.
      const focused = `document.activeElement === document.body ? '' : document.activeElement.textContent`;
      const tabTo = async (words: string): Promise<void> => {
        for (let presses = 0; presses < 60; presses++) {
          await page.keyboard.press('Tab');
          if ((await page.evaluate<string>(focused)).includes(words)) return;
        }
        throw new Error(`the Tab key does not reach ${words}`);
      };
      await tabTo('Sign in as Anna Keller');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.pane.buyer .offer');
      await both();
      await tabTo('Toyota RAV4');
      await page.keyboard.press('Enter');
      await until(`document.querySelector('.pane.assistant h3')?.innerText === '2026 Toyota RAV4'`);
      // Redrawing keeps the focus.
      expect(await page.evaluate(focused)).toContain('Toyota RAV4');
      await tabTo('A price arrives');
      await page.keyboard.press('Space');
      await until(`document.querySelector('.said').innerText.includes('out the door')`);
      await tabTo('Show HTTP');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      expect(await page.evaluate(focused)).toBe('Show HTTP');
      // A button keeps the focus when it no longer applies.
      await page.locator('#requests button').first().focus();
      await tabTo('The request ends');
      await page.keyboard.press('Space');
      await page.getByText('This request has ended.').waitFor();
      expect(await page.evaluate(focused)).toBe('The request ends');
      expect(await page.getByRole('button', { name: 'The request ends' }).isDisabled()).toBe(true);
    });
  });

  /** One signed-in page, loaded again for each test. Each test leaves the data as it found them. */
  describe('of a buyer who acts', () => {
    beforeAll(async () => {
      await open();
      await signIn();
    });
    beforeEach(async () => {
      await page.goto(service.url);
      await page.waitForSelector('.pane.buyer .offer');
      await both();
    });
    afterEach(async () => {
      await leaveHandlers();
      await page.setViewportSize(DESKTOP);
      await page.emulateMedia({ reducedMotion: null });
      await page.evaluate('sessionStorage.clear()');
      expectNoProblems();
    });
    afterAll(() => context.close());

    it('shows each since, the entries it returned, and what an import changed', async () => {
      const poll = page.locator('#poll');
      await poll.locator('summary').click();
      await until(
        `/Service-As-Of\\n+\\d{4}-.*Z\\n+Service-More\\n+false/.test(document.querySelector('#poll').innerText)`,
      );
      const first = await poll.locator('dd').first().innerText();
      await press('A price arrives');
      await until(
        `document.querySelector('.said').innerText.includes('Road Helper received it') && document.querySelector('.came').innerText.includes('lowest $39,745')`,
      );
      await untilBest('$39,745');
      // The gaps are to the lowest price of all trims.
      expect(await pane('buyer').locator('.offer-price').nth(1).innerText()).toBe('$39,870\n+$125');
      expect(await poll.locator('dd').first().innerText()).not.toBe(first);
      await press('A dealership replies');
      await until(
        `document.querySelector('.came').innerText.includes('1 new reply') && document.querySelector('.pane.assistant .needs .count').innerText === '3'`,
      );
      await press('Anna unlocks a dealership');
      const unlocked = pane('buyer').locator('.best');
      await unlocked.getByText('Carrow Auto Group').waitFor();
      // What is known exactly is shown exactly.
      expect(await unlocked.innerText()).toMatch(/ · [\d.]+ mi · unlocked/);
      expect(await pane('assistant').innerText()).not.toContain('Carrow');
      await press('The request ends');
      await until(
        `document.querySelector('#requests [aria-pressed=true]').innerText.includes('Ended')`,
      );
      await press('Start over');
      await untilBest('$39,870');
    });

    /** The first item that waits for the buyer, in one half. */
    const firstItem = (who: 'buyer' | 'assistant') => pane(who).locator('.item').first();

    it('shows a line in place of a question until its dealership can be unlocked, and the question once it is', async () => {
      await page.locator('#requests button', { hasText: 'RAV4' }).click();
      const expectWords = async (words: string): Promise<void> => {
        await firstItem('buyer').getByText(words, { exact: true }).waitFor();
        // The assistant never gets the words.
        await firstItem('assistant').getByText('words not shared').waitFor();
        for (const who of ['buyer', 'assistant'] as const) {
          const shown = await firstItem(who).innerText();
          expect(shown).toMatch(/^A question about a trade-in: [^]+\sAnswer: in words/);
        }
      };
      // The price of this row is not in writing yet.
      await expectWords('Not shown while this dealership is hidden');
      await press('A price arrives');
      await expectWords('Unlock this dealership to read it');
      expect(await accessibilityProblems(page, { within: '.pane.buyer' })).toEqual([]);
      await press('Anna unlocks a dealership');
      await expectWords(
        'Do you have a car to trade in? It would be part of the price that we write.',
      );
      await press('Start over');
      await expectWords('Not shown while this dealership is hidden');
      await page.locator('#requests button').first().click();
    });

    it('shows the cleared text of the question with which a hidden dealership replies', async () => {
      await press('A dealership replies');
      await pane('buyer')
        .locator('.words')
        .getByText('We can bring the car to you on Saturday. Shall we?')
        .waitFor();
      await press('Start over');
      await until(`document.querySelector('.said').innerText.startsWith('Everything is back')`);
    });

    it.each([
      ['desktop', DESKTOP, ['buyer', 'assistant']],
      ['phone', PHONE, ['buyer']],
    ] as const)(
      'scrolls to what an action changed and highlights it, on a %s',
      async (_device, size, halves) => {
        await page.setViewportSize(size);
        await page.emulateMedia({ reducedMotion: 'reduce' });
        for (const [name, changed] of [
          ['A price arrives', '.offer.fresh'],
          ['A dealership replies', '.item.fresh'],
        ] as const) {
          await press(name);
          for (const who of halves) {
            await until(
              `[...document.querySelectorAll('.pane.${who} ${changed}')].some((element) => {
              const { top, bottom } = element.getBoundingClientRect();
              return top >= 0 && bottom <= innerHeight;
            })`,
            );
          }
        }
        await press('Start over');
        await until(`document.querySelector('.said').innerText.startsWith('Everything is back')`);
      },
    );

    it('keeps the chosen request on reload, and offers only actions that apply to it', async () => {
      const action = (name: string) => page.getByRole('button', { name });
      expect(await action('A price arrives').isEnabled()).toBe(true);
      await page.locator('#requests button').last().click();
      await page.waitForSelector('#strip button[aria-disabled=true]');
      // The button looks disabled and gives the reason.
      const reason = page.getByText(/This request (has ended|went to a single dealership)/);
      expect(await reason.isVisible()).toBe(true);
      expect(await action('A price arrives').getAttribute('aria-describedby')).toBe(
        await reason.getAttribute('id'),
      );
      expect(
        await page.evaluate(
          `getComputedStyle(document.querySelector('#strip button[aria-disabled=true]')).cursor`,
        ),
      ).toBe('not-allowed');
      expect(await accessibilityProblems(page, { within: '#strip' })).toEqual([]);
      expect(await action('Start over').isEnabled()).toBe(true);
      await page.reload();
      await page.waitForSelector('#requests li:last-child [aria-pressed="true"]');
      await press('Start over');
      await until(`document.querySelector('.said').innerText.startsWith('Everything is back')`);
    });

    it('keeps the request that the page selected on reload, even after the request has ended', async () => {
      const name = `document.querySelector('#requests [aria-pressed=true]').innerText`;
      await press('The request ends');
      await until(`${name}.includes('Ended')`);
      // The reason and the message are on separate lines.
      const [why, said] = await Promise.all([
        boxOf(page.locator('.why')),
        boxOf(page.locator('.said')),
      ]);
      expect(said.y).toBeGreaterThanOrEqual(why.y + why.height);
      await page.reload();
      await page.waitForSelector('#requests [aria-pressed=true]');
      expect(await page.evaluate<string>(name)).toContain('Ended');
      await press('Start over');
      await until(`document.querySelector('.said').innerText.startsWith('Everything is back')`);
    });

    it('shows the poll and both halves at the same time', async () => {
      await page.locator('.poll summary').click();
      const panel = await boxOf(page.locator('.poll-panel'));
      for (const who of ['buyer', 'assistant'] as const) {
        expect((await boxOf(pane(who))).y).toBeGreaterThanOrEqual(panel.y + panel.height);
      }
      expect(panel.y + panel.height).toBeLessThan(DESKTOP.height * 0.7);
      await press('Anna revokes approval');
      await page.getByRole('link', { name: 'Approve Road Helper' }).click();
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await both();
      expect(watch.problems.splice(0).join()).toContain('401');
    });

    it('shows the 401 of a revoked assistant, and its data after the buyer approves it again', async () => {
      await press('Anna revokes approval');
      await pane('assistant').getByText('401').waitFor();
      expect(await pane('assistant').locator('.refused.fresh').count()).toBe(1);
      const revoke = page.getByRole('button', { name: 'Anna revokes approval' });
      expect(await revoke.isDisabled()).toBe(true);
      expect(await page.locator('.why').innerText()).toContain('there is nothing to revoke');
      expect(await pane('assistant').innerText()).toContain('Anna has revoked the approval.');
      const withdrawn =
        'Anna has withdrawn her approval of Road Helper, an AI assistant, so it gets none of her data.';
      expect(await page.locator('.lead').innerText()).toBe(withdrawn);
      await page.reload();
      await pane('assistant').getByText('Anna has revoked the approval.').waitFor();
      expect(await page.locator('.lead').innerText()).toBe(withdrawn);
      expect(await pane('assistant').locator('.refused.fresh').count()).toBe(0);
      await best('buyer').waitFor();
      expect(await accessibilityProblems(page, { within: '.pane.assistant' })).toEqual([]);
      await page.getByRole('link', { name: 'Approve Road Helper' }).click();
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await both();
      // The browser reports each unsuccessful response in its console.
      expect(watch.problems.splice(0).join()).toContain('401');
    });

    it('shows a rejection with the remaining wait, and then the data again', async () => {
      const banner = pane('assistant').locator('.banner');
      for (const [status, code, words] of [
        [503, 'unavailable', 'The service is not available right now.'],
        [503, 'auth_unverifiable', 'The sign-in cannot be checked right now.'],
        [429, 'rate_limited', 'Too many requests.'],
      ] as const) {
        await page.unroute(API);
        await answer(
          status,
          { error: { code, message: 'For this test.' } },
          { 'retry-after': '1' },
        );
        await banner.getByText(words).waitFor();
        expect(await banner.innerText()).toContain(`${status} ${code}`);
        expect(await banner.innerText()).toMatch(/Trying again/);
      }
      expect(await accessibilityProblems(page, { within: '.pane.assistant' })).toEqual([]);
      await page.unroute(API);
      await banner.waitFor({ state: 'detached' });
      expect(await best('assistant').isVisible()).toBe(true);
      const reported = watch.problems.splice(0).join();
      expect([reported.includes('429'), reported.includes('503')]).toEqual([true, true]);
    });

    it('reports a poll without a connection in words, and goes on once there is one', async () => {
      await context.setOffline(true);
      const state = page.locator('.poll-state');
      await eventually(async () => expect(await state.innerText()).toBe('offline, trying again'));
      await context.setOffline(false);
      await eventually(async () => expect(await state.innerText()).not.toContain('offline'));
      // The browser reports each unsuccessful request in its console.
      expect(watch.problems.splice(0).join()).toContain('ERR_INTERNET_DISCONNECTED');
    });

    it('shows the latest of several responses, in whatever order they arrive', async () => {
      // The buyer's first read after the change waits until a later read was shown.
      let release: (() => void) | undefined;
      const late = new Promise<void>((resolve) => {
        void page.route('**/api/v1/deal-sets/5e*', async (route) => {
          const response = await route.fetch();
          const isHeld =
            release === undefined && !(await route.request().headerValue('authorization'));
          if (isHeld) {
            await new Promise<void>((go) => {
              release = go;
            });
          }
          await route.fulfill({ response });
          if (isHeld) resolve();
        });
      });
      await press('A price arrives');
      await eventually(() => expect(release).toBeDefined());
      await press('Anna unlocks a dealership');
      const offer = pane('buyer').locator('.best');
      await offer.getByText('Carrow Auto Group').waitFor();
      release?.();
      await late;
      // Two more polls, after which the late response has been handled.
      await until(`parseInt(document.querySelector('.poll-state').innerText) >= 2`);
      expect(await offer.innerText()).toContain('Carrow Auto Group');
      await press('Start over');
      await until(`document.querySelector('.said').innerText.startsWith('Everything is back')`);
    });
  });

  /** One page for all tests, which change nothing and leave it as they found it. */
  describe('of a buyer who is signed in', () => {
    beforeAll(async () => {
      await open();
      await signIn();
      await both();
    });
    afterEach(async () => {
      await page.setViewportSize(DESKTOP);
      await page.emulateMedia({ colorScheme: null, forcedColors: null, reducedMotion: null });
      await page.evaluate('scrollTo(0, 0)');
      expectNoProblems();
    });
    afterAll(() => context.close());

    const openFolded = async (): Promise<void> => {
      const closed = page.locator('.folded:not([open]) > summary:visible');
      while ((await closed.count()) > 0) await closed.first().click();
    };

    it('says in words what is not shared, and marks the chosen request, in every theme', async () => {
      for (const look of ['light', 'dark', 'forced colors'] as const) {
        await setAppearance(page, look, DESKTOP);
        for (const words of ['In place of a name', 'distance not shared', 'words not shared']) {
          expect(await pane('assistant').getByText(words).first().isVisible()).toBe(true);
        }
        const decorations = await page.evaluate<string[]>(
          `['true', 'false'].map((pressed) => getComputedStyle(
            document.querySelector('#requests [aria-pressed=' + pressed + ']')).textDecorationLine)`,
        );
        expect(decorations).toEqual(['underline', 'none']);
        // Contrast themes show borders and remove backgrounds.
        const bar = await page.evaluate<string>(
          `getComputedStyle(document.querySelector('.offer:last-child .bar > div')).borderTopWidth`,
        );
        expect(bar).toBe('8px');
      }
    });

    it.each([
      ['on a desktop', { width: 1280, height: 900 }, 450],
      ['on a phone', PHONE, 422],
      // Above the bar of actions.
      ['zoomed to 200 %', { width: 640, height: 450 }, 370],
    ] as const)('begins the list of offers in the first screen: %s', async (_name, size, limit) => {
      await page.setViewportSize(size);
      expect((await boxOf(pane('buyer').locator('.offer').first())).y).toBeLessThan(limit);
      expect(await widthProblems(page)).toEqual([]);
      // The actions are not covered by the tabs, and something stays in sight between the two bars.
      await page.getByRole('button', { name: 'A dealership replies' }).click({ trial: true });
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      const bar = await boxOf(page.locator('#act'));
      expect(bar.height).toBeLessThan(size.height / 8);
      expect([bar.y >= 0, bar.y + bar.height <= size.height]).toEqual([true, true]);
    });

    it.each([
      ['a desktop', { width: 1280, height: 900 }],
      ['a phone', PHONE],
    ] as const)('says above the offers what the assistant does not get, on %s', async (_, size) => {
      await page.setViewportSize(size);
      const lead = await boxOf(page.getByText('gets every price, but no names, distances'));
      expect(lead.y + lead.height).toBeLessThan((await boxOf(pane('buyer'))).y);
      if (size === PHONE) await press('Road Helper');
      expect((await boxOf(pane('assistant').locator('.offer').first())).y).toBeLessThan(
        size.height / 2,
      );
      if (size === PHONE) await press('Anna’s page');
    });

    it('fits a window that is zoomed to 400 %', async () => {
      await page.setViewportSize({ width: 320, height: 225 });
      expect(await widthProblems(page)).toEqual([]);
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.tabs button')]
          .filter((tab) => tab.scrollWidth > tab.clientWidth).map((tab) => tab.innerText)`,
      );
      expect(cut).toEqual([]);
    });

    it('shows names only to the buyer, and says what the assistant does not receive', async () => {
      expect(await pane('buyer').innerText()).toContain('Bexley Honda');
      expect(await pane('buyer').innerText()).toContain('45202');
      expect(await pane('buyer').innerText()).not.toContain('not shared');
      const received = await pane('assistant').innerText();
      // The hints are part of the text.
      const hidden = ['Bexley', 'Lakeside', '45202', 'bring the car', 'miles away', 'within'];
      for (const secret of hidden) expect(received).not.toContain(secret);
      expect(received).toContain(
        'Not shared of the request: trim, colors, drivetrain, ZIP code, radius, dealership count',
      );
      expect(await pane('assistant').locator('.described').count()).toBeGreaterThan(2);
    });

    it('ranks the offers of all trims in one list, in which a bar is as long as the gap', async () => {
      const prices = [
        '$39,870\nbest price',
        '$40,215\n+$345',
        '$42,480\n+$2,610',
        '$42,950\n+$3,080',
      ];
      for (const who of ['buyer', 'assistant'] as const) {
        expect(await pane(who).locator('.ranking .offer-price').allInnerTexts()).toEqual(prices);
        const widths = await page.evaluate<number[]>(
          `[...document.querySelectorAll('.pane.${who} .ranking .bar > div')].map((bar) => parseFloat(bar.style.width))`,
        );
        expect(widths).toEqual([0, 11.2, 84.7, 100]);
      }
      const notes = await pane('buyer').locator('.ranking .offer-notes').allInnerTexts();
      expect(notes.map((note) => note.split(' · ').slice(0, 2).join(' · '))).toEqual([
        'EX-L · 10 to 25 miles',
        'trim unknown · 8.2 mi',
        'Sport-L Hybrid · 41.7 mi',
        'Sport-L Hybrid · 50 to 100 miles',
      ]);
      for (const width of [1_100, 1_280, 1_600]) {
        await page.setViewportSize({ ...DESKTOP, width });
        // The rows are placed after the window has its new size.
        await eventually(async () =>
          expect(await rowTops('assistant')).toEqual(await rowTops('buyer')),
        );
      }
    });

    it('shows the cleared text of a draft for a hidden dealership, to the buyer alone', async () => {
      const draft = (who: 'buyer' | 'assistant') =>
        pane(who).locator('.item', { hasText: 'A draft is ready to send' });
      expect(await draft('buyer').locator('.words').innerText()).toMatch(
        /^Thank you for the price\. .+ warranty left on it\?$/,
      );
      expect(await draft('assistant').locator('.words').innerText()).toBe('words not shared');
    });

    it('lines both halves up where the buyer cannot read a question either', async () => {
      const lineUp = async (): Promise<void> => {
        const placesIn = (who: 'buyer' | 'assistant'): Promise<unknown> =>
          page.evaluate(
            `[...document.querySelectorAll('.pane.${who} :is(.item, .block:not(.folded), .ranking .offer)')]
              .map((part) => part.getBoundingClientRect())
              .map(({ top, height }) => [Math.round(top), Math.round(height)])`,
          );
        expect(await placesIn('assistant')).toEqual(await placesIn('buyer'));
      };
      await page.locator('#requests button', { hasText: 'RAV4' }).click();
      const line = pane('buyer').getByText('Not shown while this dealership is hidden');
      const words = pane('assistant').getByText('words not shared');
      await line.waitFor();
      await words.waitFor();
      await lineUp();
      await page.locator('#requests button').first().click();
      await both();
    });

    it('does not wait for prices of an ended request', async () => {
      await page.locator('#requests button', { hasText: 'Grand Cherokee' }).click();
      await pane('buyer').locator('h3').getByText('Grand Cherokee').waitFor();
      const shown = await pane('buyer').innerText();
      expect(shown).toContain('No offer is open. The prices of ended offers are under “Ended”.');
      expect(shown).not.toContain('yet');
      await page.locator('#requests button').first().click();
      await both();
    });

    it('has the requests in one line', async () => {
      for (const size of [DESKTOP, PHONE]) {
        await page.setViewportSize(size);
        const tops = await page.evaluate<number[]>(
          `[...document.querySelectorAll('#requests li')].map((item) => item.offsetTop)`,
        );
        expect([tops.length, new Set(tops).size]).toEqual([7, 1]);
        const cut = await page.evaluate<string[]>(
          `[...document.querySelectorAll('#requests button > *')]
            .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.innerText)`,
        );
        expect(cut).toEqual([]);
      }
    });

    it('shows the conditions of a Verified partner once below the offers, on both sides, without a click', async () => {
      const conditions =
        /pays the service a subscription\. It has agreed to honor its written price.*rebates, incentives and financing/;
      for (const who of ['buyer', 'assistant'] as const) {
        const partners = pane(who).locator('.ranking .offer-notes', {
          hasText: 'Verified partner*',
        });
        expect(await partners.count()).toBeGreaterThan(0);
        const shown = pane(who).locator('.ranking').getByText(conditions);
        expect([await shown.count(), await shown.isVisible()]).toEqual([1, true]);
      }
    });

    it('fades the edge of a line that scrolls, and nothing once the line is scrolled to its end', async () => {
      // Beside the text there is room for the actions on one line.
      await page.setViewportSize({ ...DESKTOP, width: 1_280 });
      await until(
        `new Set([...document.querySelectorAll('.buttons button')].map(({ offsetTop }) => offsetTop)).size === 1`,
      );
      const isCovered = (selector: string): Promise<unknown> =>
        page.evaluate(`(() => {
          const line = document.querySelector('${selector}');
          const fade = getComputedStyle(line, '::after');
          const width = parseFloat(fade.width);
          const last = line.lastElementChild.getBoundingClientRect();
          const isShown = fade.display !== 'none' && fade.backgroundImage.includes('gradient');
          const isCut = line.scrollWidth > line.clientWidth;
          const fadeBegins = line.getBoundingClientRect().right - width;
          return { isCut, isShown, isLastFaded: last.right > fadeBegins };
        })()`);
      const scrollToEnd = (selector: string): Promise<unknown> =>
        page.evaluate(`document.querySelector('${selector}').scrollTo(1e6, 0)`);
      for (const [size, selector] of [
        [{ ...DESKTOP, width: 1_280 }, '.requests'],
        [PHONE, '.requests'],
        [PHONE, '.buttons'],
      ] as const) {
        await page.setViewportSize(size);
        await page.evaluate(`document.querySelector('${selector}').scrollTo(0, 0)`);
        expect(await isCovered(selector)).toEqual({
          isCut: true,
          isShown: true,
          isLastFaded: true,
        });
        await scrollToEnd(selector);
        await eventually(async () =>
          expect(await isCovered(selector)).toMatchObject({ isLastFaded: false }),
        );
      }
    });

    it('shows the whole button that has the keyboard focus, in a line that scrolls', async () => {
      await page.setViewportSize(PHONE);
      for (const selector of ['.requests', '.buttons']) {
        const buttons = page.locator(`${selector} button`);
        await page.evaluate(`document.querySelector('${selector}').scrollTo(0, 0)`);
        await buttons.first().focus();
        const { x, width } = await boxOf(page.locator(selector));
        for (let at = 1; at < (await buttons.count()); at++) {
          await page.keyboard.press('Tab');
          await eventually(async () => {
            const focused = await boxOf(page.locator(':focus'));
            expect(focused.x).toBeGreaterThanOrEqual(x);
            expect(focused.x + focused.width).toBeLessThanOrEqual(x + width);
          });
        }
      }
    });

    it('shows an exchange as it was sent, with a curl command that works', async () => {
      await pane('assistant')
        .getByRole('button', { name: /^Show HTTP/ })
        .click();
      const dialog = page.getByRole('dialog');
      const text = await dialog.innerText();
      expect(text).toMatch(/GET \/api\/v1\/deal-sets\/5e0+-\S+ HTTP\/1\.1/);
      expect(text).toMatch(/HTTP\/1\.1 200 OK\n(.+\n)*Service-API-Version: 2026-10-13/);
      expect(text).toMatch(/^RateLimit: .+\nRateLimit-Policy: /m);
      expect(await accessibilityProblems(page, { within: 'dialog' })).toEqual([]);
      // The response comes first, and the copied command has the whole token.
      expect(text.indexOf('HTTP/1.1 200 OK')).toBeLessThan(text.indexOf('GET /api'));
      expect(text).toMatch(/Authorization: Bearer \S{12}… \(\d+ characters\)/);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await dialog.getByRole('button', { name: 'Copy' }).click();
      await dialog.getByText('Copied.').waitFor();
      const curl = await page.evaluate<string>('navigator.clipboard.readText()');
      const [, token = '', url = ''] =
        /^curl -i -H 'Authorization: Bearer (\S+)' '(\S+)'$/.exec(curl) ?? [];
      const read = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      expect(read.status).toBe(200);
      await page.keyboard.press('Escape');
      expect(await dialog.count()).toBe(0);
      // The page's scripts cannot read the session cookie.
      await pane('buyer')
        .getByRole('button', { name: /^Show HTTP/ })
        .click();
      expect(await dialog.innerText()).toContain('hidden from scripts');
      expect(await page.evaluate('document.cookie')).toBe('');
      await page.keyboard.press('Escape');
    });

    it.each(APPEARANCES)('is accessible and fits on a %s, %s', async (device, look, size) => {
      await setAppearance(page, look, size);
      if (device === 'phone') {
        expect(await pane('assistant').isVisible()).toBe(false);
        await press('Road Helper');
        expect(await pane('buyer').isVisible()).toBe(false);
      }
      await openFolded();
      expect(await layoutProblems(page)).toEqual([]);
      await keepScreenshot(page, `page-${device}-${look}`);
      if (device === 'phone') await press('Anna’s page');
    });
  });
});
