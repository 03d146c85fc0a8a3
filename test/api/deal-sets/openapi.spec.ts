import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ERROR_CATALOGUE } from '../../../src/http/error-catalogue.js';
import { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import { fieldsOf, reachableDtos } from '../../../src/redaction/field.js';
import { ApiDescription } from '../../../src/openapi/api-description.js';
import { describeWithBrowser, launchBrowser, PageWatch } from '../../setup/browser.js';
import { childEnvironment } from '../../setup/child-environment.js';
import { LIST } from '../../setup/http-call.js';
import { TestService } from '../../setup/test-service.js';

const GET = `${LIST}/{id}`;
const AUTHORIZATION = {
  authorizationUrl: 'https://login.example/authorize',
  tokenUrl: 'https://login.example/token',
};

interface Document {
  openapi: string;
  components: {
    securitySchemes: { oauth: { flows: object } };
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
/** The description of a service that knows where clients obtain access tokens. */
let withFlow: Document;
beforeAll(async () => {
  service = await TestService.start();
  ({ text } = await service.call('/api/v1/openapi.json'));
  document = JSON.parse(text) as Document;
  const description = service.app.get(ApiDescription).describe(AUTHORIZATION);
  withFlow = description as unknown as Document;
});
afterAll(() => service.stop());

/** Rejects with the linter's report when the description breaks one of its rules. */
async function lint(description: string, rules = ''): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  try {
    await writeFile(join(folder, 'openapi.json'), description);
    await writeFile(join(folder, 'redocly.yaml'), `extends: [recommended-strict]\n${rules}`);
    await promisify(execFile)(
      process.execPath,
      [join(process.cwd(), 'node_modules/@redocly/cli/bin/cli.js'), 'lint', 'openapi.json'],
      {
        cwd: folder,
        env: childEnvironment({
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        }),
      },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the API description', () => {
  it('is served to anyone, with the contract’s headers', async () => {
    const { status, headers } = await service.call('/api/v1/openapi.json');
    expect([status, headers['cache-control'], headers['service-api-version']]).toEqual([
      200,
      'private, no-store',
      '2026-10-13',
    ]);
  });

  // Without addresses there is no flow that could list the scope which operations ask for.
  it('passes a linter for OpenAPI', () => lint(text, 'rules: { security-scopes-defined: off }\n'));

  it('passes it with the addresses of an authorization server too', () =>
    lint(JSON.stringify(withFlow)));

  it('names the OAuth flow whose addresses are known, or none', () => {
    expect(document.components.securitySchemes.oauth.flows).toEqual({});
    expect(withFlow.components.securitySchemes.oauth.flows).toEqual({
      authorizationCode: {
        ...AUTHORIZATION,
        scopes: { 'offers:read': expect.any(String) as string },
      },
    });
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

  it('asks for the scope in the security requirement', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const { paths } of [document, withFlow]) {
      expect(paths[LIST]!.get).toMatchObject({
        'x-required-scope': 'offers:read',
        security: [{ session: [] }, { oauth: ['offers:read'] }],
      });
    }
  });

  it('declares the list’s bounds', () => {
    expect(document.paths[LIST]!.get).toMatchObject({
      'x-list-bounds': { maxItems: 4, itemDeadlineMs: 4000 },
    });
  });
});

describeWithBrowser('the documentation page in a browser', () => {
  let browser: Awaited<ReturnType<typeof launchBrowser>>;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('shows both endpoints, under the headers of every response, and asks no other origin', async () => {
    const page = await browser.newPage();
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
});
