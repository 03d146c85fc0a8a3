import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { load, smallWorld } from '../../builders/index.js';
import { describeWithBrowser, launchBrowser, openPage } from '../../setup/browser.js';
import { LIST, type HttpResponse } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const LISTED = 'https://app.example';
const EXTENSION = 'chrome-extension://abcdefghijklmnop';
const { buyer, session, records } = smallWorld();

let database: TestDatabase;
let pages: Server;
/** The origin of a page that is served on another port. */
let pageOrigin: string;
let mcp: McpService;
let service: TestService;
let assistant: Credential;

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, records);
  pages = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>page</title>');
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  pageOrigin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const env = { CORS_ORIGINS: `${LISTED}, ${EXTENSION}, ${pageOrigin}`, READ_RATE_LIMIT: '40' };
  mcp = await McpService.start({ database, env });
  service = mcp.service;
  assistant = await service.tokenFor(buyer.id);
});
afterAll(async () => {
  await service.stop();
  await new Promise((resolve) => pages.close(resolve));
  await database.drop();
});

function preflight(target: TestService, path: string, origin?: string): Promise<HttpResponse> {
  return target.send('OPTIONS', path, undefined, {
    ...(origin !== undefined && { origin }),
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  });
}

/** Returns the names of the response's CORS headers, `Vary` included. */
function corsHeaders({ headers }: HttpResponse): string[] {
  return Object.keys(headers).filter((name) => /^(access-control-|vary$)/.test(name));
}

describe('pages of other origins, with CORS_ORIGINS', () => {
  it.each([LIST, '/mcp'])('get 204 for a preflight of %s from a listed origin', async (path) => {
    const { status, headers, text } = await preflight(service, path, LISTED);
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': LISTED,
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': '*, Authorization',
      'cache-control': 'private, no-store',
      'service-api-version': '2026-10-13',
      'service-request-id': expect.any(String) as string,
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it.each([
    ['another origin', 'https://other.example'],
    ['an origin that only begins like a listed one', `${LISTED}.evil.example`],
    ['another port', `${LISTED}:8443`],
    ['the null origin', 'null'],
    ['no origin', undefined],
  ])('get 404 for OPTIONS from %s', async (_which, origin) => {
    const response = await preflight(service, LIST, origin);
    expect([response.status, response.code]).toEqual([404, 'not_found']);
    expect(corsHeaders(response)).toEqual(['vary']);
  });

  it('get the headers on success, 400, 401, 404 and 429, and never for credentials', async () => {
    const call = (path: string, credential: Credential): Promise<HttpResponse> =>
      service.send('GET', path, credential, { origin: LISTED });
    const responses = [
      await call(LIST, assistant),
      await call(`${LIST}?since=yesterday`, assistant),
      await call(LIST, undefined),
      await call(`${LIST}/unknown`, assistant),
      await call('/nowhere', undefined),
      await call(LIST, session),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 401, 404, 404, 200]);
    let limited: HttpResponse;
    do limited = await call(LIST, session);
    while (limited.status === 200);
    expect(limited.status).toBe(429);
    for (const { headers } of [...responses, limited]) {
      expect(headers['access-control-allow-origin']).toBe(LISTED);
      expect(headers['access-control-expose-headers']).toBe(
        'WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, Service-API-Version, Service-As-Of, Service-More, Service-Request-Id',
      );
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('get the headers on 503', async () => {
    const env = { CORS_ORIGINS: LISTED, DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const down = await TestService.start({ database, env, limits: { signInMs: 500 } });
    const { status, headers } = await down.send('GET', LIST, session, { origin: LISTED });
    await down.stop();
    expect([status, headers['access-control-allow-origin']]).toEqual([503, LISTED]);
  });

  it('may call /mcp when they are listed', async () => {
    const token = await mcp.tokenFor(buyer.id);
    const statuses = [];
    for (const origin of [LISTED, EXTENSION, 'https://other.example', `${EXTENSION}2`])
      statuses.push((await mcp.request('tools/list', {}, token, { origin })).status);
    expect(statuses).toEqual([200, 200, 403, 403]);
  });
});

describe('pages of other origins, without CORS_ORIGINS', () => {
  it('get no CORS headers, and 404 for OPTIONS', async () => {
    const plain = await TestService.start({ database });
    const listed = await plain.send('GET', LIST, await plain.tokenFor(buyer.id), {
      origin: LISTED,
    });
    const options = await preflight(plain, LIST, LISTED);
    await plain.stop();
    expect([listed.status, options.status, options.code]).toEqual([200, 404, 'not_found']);
    expect([listed, options].map(corsHeaders)).toEqual([[], []]);
    expect(Object.keys(listed.headers).sort()).toEqual([
      'cache-control',
      'connection',
      'content-length',
      'content-type',
      'cross-origin-resource-policy',
      'date',
      'ratelimit',
      'ratelimit-policy',
      'service-api-version',
      'service-more',
      'service-request-id',
      'x-content-type-options',
    ]);
  });
});

describeWithBrowser('a page on another port', () => {
  let browser: Browser;
  beforeAll(async () => (browser = await launchBrowser()));
  afterAll(() => browser.close());

  it('lists by access token, polls from Service-As-Of, and cannot use the cookie', async () => {
    if (!assistant || !('token' in assistant)) throw new Error('no token');
    const page = await openPage(browser);
    await page.context().addCookies([
      {
        name: '__Host-session',
        value: session.cookie,
        url: service.url.replace('http:', 'https:'),
        secure: true,
      },
    ]);
    await page.goto(pageOrigin);
    const list = JSON.stringify(service.url + LIST);
    const headers = JSON.stringify({
      authorization: `Bearer ${assistant.token}`,
      // A tracing library adds these to each request.
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      baggage: 'site=shop',
    });
    const result = await page.evaluate(`(async () => {
      const read = async (query) => {
        const response = await fetch(${list} + query, { headers: ${headers} });
        const { data } = await response.json();
        const asOf = response.headers.get('Service-As-Of');
        return { status: response.status, count: data.length, asOf, more: response.headers.get('Service-More') };
      };
      const first = await read('?since=1970-01-01T00:00:00Z');
      const next = await read('?since=' + encodeURIComponent(first.asOf));
      const signedOut = await fetch(${list});
      const withCookie = await fetch(${list}, { credentials: 'include' }).catch((error) => error.name);
      return { first, next, signedOut: [signedOut.status, signedOut.headers.get('WWW-Authenticate')], withCookie };
    })()`);
    expect(result).toEqual({
      first: { status: 200, count: 1, asOf: expect.stringMatching(/Z$/) as string, more: 'false' },
      next: {
        status: 200,
        count: expect.any(Number) as number,
        asOf: expect.any(String) as string,
        more: 'false',
      },
      signedOut: [401, 'Bearer error="invalid_token"'],
      withCookie: 'TypeError',
    });
    await page.close();
  });
});
