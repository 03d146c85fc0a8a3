import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ERROR_CATALOGUE } from '../../../src/kernel/error-catalogue.js';
import { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import { fieldsOf, reachableDtos } from '../../../src/redaction/field.js';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { describeWithBrowser, launchBrowser, PageWatch, openPage } from '../../setup/browser.js';
import { LIST } from '../../setup/http-call.js';
import { lintOpenApi } from '../../setup/lint-openapi.js';
import { TestService } from '../../setup/test-service.js';

const GET = `${LIST}/{id}`;
const AUTHORIZATION = {
  authorizationUrl: 'https://login.example/authorize',
  tokenUrl: 'https://login.example/token',
};

interface Document {
  openapi: string;
  info: { license: object; contact?: object };
  components: {
    securitySchemes: Record<string, { type: string; flows?: object }>;
    schemas: Record<
      string,
      {
        properties?: Record<string, { description?: string; 'x-assistant'?: string }>;
        required?: string[];
      }
    >;
  };
  paths: Record<
    string,
    {
      get: {
        security: object[];
        responses: Record<string, { headers: Record<string, { required?: boolean }> }>;
      };
    }
  >;
}

let service: TestService;
let text: string;
let document: Document;
/**
 * The description of a service whose settings name the addresses where clients obtain access
 * tokens.
 */
let withFlow: Document;
beforeAll(async () => {
  service = await TestService.start();
  ({ text } = await service.call('/api/v1/openapi.json'));
  document = JSON.parse(text) as Document;
  const configured = await TestService.start({
    env: {
      AUTH_AUTHORIZATION_URL: AUTHORIZATION.authorizationUrl,
      AUTH_TOKEN_URL: AUTHORIZATION.tokenUrl,
    },
  });
  withFlow = JSON.parse((await configured.call('/api/v1/openapi.json')).text) as Document;
  await configured.stop();
});
afterAll(() => service.stop());

describe('the API description', () => {
  it('is served to anyone, with the contract’s headers', async () => {
    const { status, headers } = await service.call('/api/v1/openapi.json');
    expect([status, headers['cache-control'], headers['service-api-version']]).toEqual([
      200,
      'private, no-store',
      '2026-10-13',
    ]);
  });

  it('passes an OpenAPI linter', () => lintOpenApi(text));

  it('passes the linter also with the addresses of an authorization server', () =>
    lintOpenApi(JSON.stringify(withFlow)));

  it('names the OAuth flow whose addresses the settings contain, or none', () => {
    const { dealSetsBearer, session } = document.components.securitySchemes;
    expect(document.components.securitySchemes).toEqual({ dealSetsBearer, session });
    expect(dealSetsBearer).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(withFlow.components.securitySchemes).toMatchObject({
      dealSetsBearer,
      session,
      oauth: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            ...AUTHORIZATION,
            scopes: { 'offers:read': expect.any(String) as string },
          },
        },
      },
    });
  });

  it('names an unregistered license, and no contact', () => {
    expect(document.info.license).toEqual({
      name: 'Proprietary',
      identifier: 'LicenseRef-Proprietary',
    });
    expect(document.info).not.toHaveProperty('contact');
    expect(text).not.toContain('example.com');
  });

  it('documents exactly the codes of each endpoint', () => {
    const ofGet = ['200', '401', '403', '404', '429', '500', '503'];
    expect(Object.keys(document.paths[GET]!.get.responses)).toEqual(ofGet);
    expect(Object.keys(document.paths[LIST]!.get.responses).sort()).toEqual(
      ['400', ...ofGet].sort(),
    );
  });

  it('lets new fields appear without making generated types accept any name', () => {
    expect(text).not.toContain('additionalProperties');
  });

  it.each([
    [LIST, '200', ['RateLimit-Policy', 'RateLimit', 'Service-More']],
    [LIST, '400', []],
    [GET, '200', ['RateLimit-Policy', 'RateLimit']],
    [GET, '401', ['WWW-Authenticate']],
    [GET, '403', ['WWW-Authenticate']],
    [GET, '429', ['RateLimit-Policy', 'RateLimit', 'Retry-After']],
    [GET, '503', []],
  ])('requires the headers that always come with %s %s, and no others', (path, status, own) => {
    const headers = Object.entries(document.paths[path]!.get.responses[status]!.headers);
    const required = headers.filter(([, header]) => header.required === true);
    const always = ['Cache-Control', 'Service-API-Version', 'Service-Request-Id'];
    expect(required.map(([name]) => name)).toEqual([...always, ...own]);
  });

  it('describes each field as it is declared for an assistant', () => {
    for (const dto of reachableDtos([ListResponse, DealSetResponse])) {
      const { name } = dto;
      const fields = fieldsOf(dto);
      const { properties = {}, required = [] } = document.components.schemas[name] ?? {};
      expect(Object.keys(properties)).toEqual(Object.keys(fields));
      for (const [field, { visibility: forms, type }] of Object.entries(fields)) {
        const { description = '', 'x-assistant': visibility } = properties[field] ?? {};
        const isNull = description.includes('Null for an assistant');
        expect([name, field, visibility, isNull, required.includes(field)]).toEqual([
          name,
          field,
          forms.assistant,
          forms.assistant === 'null',
          !type.isOptional,
        ]);
      }
    }
  });

  it('leaves the set of error codes open and explains the known ones', () => {
    const { schemas } = document.components;
    expect(schemas).not.toHaveProperty('Error');
    const code = schemas['ErrorDetail']?.properties?.['code'];
    expect(code).toMatchObject({ type: 'string' });
    expect(code).not.toHaveProperty('enum');
    for (const known of Object.keys(ERROR_CATALOGUE)) {
      expect(code?.description).toContain(`\`${known}\``);
    }
  });

  it('requires the scope in the security requirement', () => {
    expect(document.openapi).toBe('3.1.0');
    const scopes = ['offers:read'];
    for (const [{ paths }, ...tokens] of [
      [document, { dealSetsBearer: scopes }],
      [withFlow, { oauth: scopes }, { dealSetsBearer: scopes }],
    ] as const) {
      expect(paths[LIST]!.get).toMatchObject({
        'x-required-scope': 'offers:read',
        security: [{ session: [] }, ...tokens],
      });
    }
  });

  it('declares the list’s bounds', () => {
    expect(document.paths[LIST]!.get).toMatchObject({
      'x-list-bounds': { maxItems: 4, itemDeadlineMs: 4000 },
    });
  });
});

describe('with other settings', () => {
  const PAGE = '/api/v1/docs';
  const DESCRIPTION = '/api/v1/openapi.json';

  it.each([
    ['https://example.org/developers', { url: 'https://example.org/developers' }],
    ['api@example.org', { email: 'api@example.org' }],
  ])('names the contact %s', async (API_CONTACT, contact) => {
    const { database } = service;
    const other = await TestService.start({ database, env: { API_CONTACT } });
    const described = await other.call(DESCRIPTION);
    await other.stop();
    expect((JSON.parse(described.text) as Document).info.contact).toEqual(contact);
    await lintOpenApi(described.text);
  });

  it('is not served, nor its page, with API_DOCS=off', async () => {
    const { database } = service;
    const env = { API_DOCS: 'off', PUBLIC_URL: 'https://api.example' };
    const other = await TestService.start({ database, env });
    const paths = [PAGE, `${PAGE}/`, `${PAGE}/swagger-ui.css`, DESCRIPTION];
    const responses = await Promise.all(paths.map((path) => other.call(path)));
    const metadata = await other.call('/.well-known/oauth-protected-resource');
    await other.stop();
    for (const { status, code } of responses) expect([status, code]).toEqual([404, 'not_found']);
    expect(JSON.parse(metadata.text)).toMatchObject({ resource: 'https://api.example' });
    expect(metadata.text).not.toContain('resource_documentation');
  });

  it('may not be stored, nor may its files', async () => {
    for (const path of [PAGE, `${PAGE}/swagger-ui.css`]) {
      const { status, headers } = await service.call(path);
      expect([status, headers['cache-control']]).toEqual([200, 'private, no-store']);
    }
  });

  it('may not be shown in a frame', async () => {
    for (const path of [PAGE, `${PAGE}/oauth2-redirect.html`]) {
      const { status, headers } = await service.call(path);
      expect([status, headers['content-security-policy']]).toEqual([
        200,
        expect.stringMatching(/^default-src 'none';.*; frame-ancestors 'none'$/),
      ]);
    }
    expect((await service.call(LIST)).headers).not.toHaveProperty('content-security-policy');
  });
});

describeWithBrowser('the documentation page in a browser', () => {
  let browser: Awaited<ReturnType<typeof launchBrowser>>;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('shows both endpoints, under the headers of every response, and contacts no other origin', async () => {
    const page = await openPage(browser);
    const watch = new PageWatch(page, service.url);
    const response = await page.goto(`${service.url}/api/v1/docs`);
    expect(response?.headers()).toMatchObject({
      'content-type': expect.stringMatching(/^text\/html\b/) as string,
      'cache-control': 'private, no-store',
      'service-api-version': '2026-10-13',
    });
    await page.getByText('/api/v1/deal-sets/{id}').first().waitFor();
    expect(await page.locator('.opblock-summary-path').count()).toBe(2);
    expect(watch.problems).toEqual([]);
  });

  /** The credentials that the dialog behind "Authorize" offers, by the names of their schemes. */
  async function offeredBy(url: string): Promise<string[]> {
    const page = await openPage(browser);
    const watch = new PageWatch(page, url);
    await page.goto(`${url}/api/v1/docs`);
    await page.locator('.btn.authorize').click();
    const schemes = page.locator('.dialog-ux .auth-container h4');
    await schemes.first().waitFor();
    const titles = await schemes.allTextContents();
    expect(watch.problems).toEqual([]);
    await page.close();
    return titles.map((title) => title.trim().split(/\s/)[0]!).sort();
  }

  it('offers a field for a token, and none for the cookie, which a page cannot send', async () => {
    expect(await offeredBy(service.url)).toEqual(['dealSetsBearer']);
  });

  it('offers the OAuth flow where its addresses are known, and reaches both addresses', async () => {
    const issuer = createServer((_request, response) => {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', '*');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ access_token: 'of-the-flow', token_type: 'Bearer' }));
    }).listen(0, '127.0.0.1');
    await once(issuer, 'listening');
    const issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const { database } = service;
    const env = {
      PORT: String(port),
      PUBLIC_URL: url,
      AUTH_AUTHORIZATION_URL: `${issuerUrl}/authorize`,
      AUTH_TOKEN_URL: `${issuerUrl}/token`,
    };
    const other = await TestService.start({ database, env });
    try {
      expect(await offeredBy(url)).toEqual(['dealSetsBearer', 'oauth']);
      const page = await openPage(browser);
      // The issuer approves at once.
      await page.context().route(`${issuerUrl}/authorize*`, (route) => {
        const query = new URL(route.request().url()).searchParams;
        expect(query.get('code_challenge_method')).toBe('S256');
        const back = new URL(query.get('redirect_uri') ?? '');
        back.search = new URLSearchParams({
          code: 'approved',
          state: query.get('state') ?? '',
        }).toString();
        return route.fulfill({ status: 302, headers: { location: back.href } });
      });
      await page.goto(`${url}/api/v1/docs`);
      await page.locator('.btn.authorize').click();
      const flow = page.locator('.auth-container', { hasText: 'OAuth2' });
      await flow.getByLabel('client_id:').fill('docs-page');
      await flow.locator('button', { hasText: 'Authorize' }).click();
      await flow.locator('button', { hasText: 'Logout' }).waitFor();
      await page.close();
    } finally {
      await other.stop();
      issuer.close();
    }
  });
});
