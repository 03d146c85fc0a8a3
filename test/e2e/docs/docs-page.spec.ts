import type { Browser, Page } from 'playwright-core';
import { RESPONSES } from '../../../src/deal-sets/dto/responses.js';
import { ERROR_CATALOGUE } from '../../../src/http/error-catalogue.js';
import { reachableShapes } from '../../../src/response-shape/walk.js';
import {
  APPEARANCES,
  describeWithBrowser,
  DESKTOP,
  keepScreenshot,
  launchBrowser,
  layoutProblems,
  PageWatch,
  setAppearance,
} from '../../setup/browser.js';
import type { HttpResponse } from '../../setup/http-call.js';
import { TestService } from '../../setup/test-service.js';

const DOCS = '/api/v1/docs';
const shapes = reachableShapes(RESPONSES);

let service: TestService;
let page: HttpResponse;
beforeAll(async () => {
  // The page says the real limit.
  service = await TestService.start({ env: { READ_RATE_LIMIT: undefined } });
  page = await service.send('GET', DOCS, undefined);
});
afterAll(() => service.stop());

describe('the documentation page', () => {
  it('is served to anyone as HTML that may load nothing and run no script', () => {
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ) as string,
      'referrer-policy': 'no-referrer',
      // As every response of the service (contract, section 9).
      'cache-control': 'private, no-store',
      'service-api-version': '2026-10-13',
      'x-content-type-options': 'nosniff',
    });
    expect(page.headers).not.toHaveProperty('etag');
    expect(page.text).not.toMatch(/<script|<link|<img|<iframe|<form|\son\w+=|javascript:/i);
  });

  it('is the same for HEAD, without the body', async () => {
    const head = await service.send('HEAD', DOCS, undefined);
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-type', 'content-security-policy', 'content-length']) {
      expect([name, head.headers[name]]).toEqual([name, page.headers[name]]);
    }
    expect(page.headers['content-length']).toBe(String(Buffer.byteLength(page.text)));
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('answers %s as an unknown path', async (method) => {
    expect(await service.send(method, DOCS, undefined)).toMatchObject({ status: 404 });
  });

  it('is not part of the API description', async () => {
    const { text } = await service.send('GET', '/api/v1/openapi.json', undefined);
    expect(Object.keys((JSON.parse(text) as { paths: object }).paths)).toEqual([
      '/api/v1/deal-sets',
      '/api/v1/deal-sets/{id}',
    ]);
  });

  it('names every error with its status', () => {
    for (const [code, { status }] of Object.entries(ERROR_CATALOGUE)) {
      // The code of endpoints that admit some principals alone; neither of the two does.
      if (code === 'forbidden') continue;
      expect(page.text).toMatch(new RegExp(`<code>${code}</code></th\\s*>[^]{0,60}>${status}<`));
    }
  });

  it('says what a client that polls must know', () => {
    const words = page.text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
    expect(words).toContain('A since never expires');
    expect(words).toContain('Requests end, they do not vanish');
    expect(words).toContain('120 requests in 60 seconds');
    for (const header of ['Service-As-Of', 'Service-More', 'Retry-After', 'Service-Request-Id']) {
      expect(page.text).toContain(`<code>${header}</code>`);
    }
  });
});

const FORMS = {
  same: ['value', 'value'],
  described: ['described', 'described'],
  null: ['null', 'null'],
  false: ['false', 'false'],
  'unless-hosted': ['value', 'absent'],
} as const;

describeWithBrowser('the documentation page in a browser', () => {
  let browser: Browser;
  let tab: Page;
  let watch: PageWatch;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    tab = await browser.newPage({ viewport: DESKTOP });
    watch = new PageWatch(tab, service.url);
    await tab.goto(service.url + DOCS);
  });
  afterEach(async () => {
    await tab.close();
    expect(watch.problems).toEqual([]);
  });

  it('has a row for each field of each shape, with what each principal gets', async () => {
    for (const shape of shapes) {
      const cells = await tab.evaluate<string[][]>(
        `[...document.querySelectorAll('#shape-${shape.name} tbody tr')].map((row) =>
          [...row.children].map((cell) => cell.textContent.trim()))`,
      );
      expect(await tab.getByRole('table', { name: `Fields of ${shape.name}` }).count()).toBe(1);
      const shown = cells.map(([name, , ...forms]) => [name, ...forms.slice(0, 3)]);
      const declared = Object.entries(shape.fields).map(([name, { forms }]) => [
        name,
        'value',
        ...FORMS[forms.assistant],
      ]);
      expect([shape.name, shown]).toEqual([shape.name, declared]);
    }
  });

  it.each(APPEARANCES)('is accessible and fits on a %s, %s', async (device, colorScheme, size) => {
    await setAppearance(tab, colorScheme, size);
    for (const summary of await tab.locator('summary').all()) await summary.click();
    expect(await layoutProblems(tab)).toEqual([]);
    await keepScreenshot(tab, `docs-${device}-${colorScheme}`);
  });

  it('has a target for each link of its own', async () => {
    const missing = await tab.evaluate<string[]>(
      `[...document.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute('href').slice(1)).filter((id) => document.getElementById(id) === null)`,
    );
    expect(missing).toEqual([]);
  });

  it('is read with the keyboard alone: skip to the content, open an example', async () => {
    await tab.keyboard.press('Tab');
    expect(await tab.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await tab.keyboard.press('Enter');
    const summary = tab.locator('summary').first();
    await summary.focus();
    await tab.keyboard.press('Enter');
    expect(await tab.locator('details').first().getAttribute('open')).toBe('');
  });
});
