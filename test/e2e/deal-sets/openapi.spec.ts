import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadSettings } from '../../../src/config/load-settings.js';
import { ERROR_CATALOGUE } from '../../../src/http/error-catalogue.js';
import { ApiDescription } from '../../../src/openapi/api-description.js';
import { TestService } from '../../setup/test-service.js';

interface Header {
  required?: boolean;
}

interface Document {
  openapi: string;
  components: {
    securitySchemes: { oauth: { flows: object } };
    schemas: Record<
      string,
      { properties?: Record<string, { type?: unknown; enum?: unknown; description?: string }> }
    >;
  };
  paths: Record<
    string,
    { get: { security: object[]; responses: Record<string, { headers: Record<string, Header> }> } }
  >;
}

let service: TestService;
let text: string;
let document: Document;
beforeAll(async () => {
  service = await TestService.start();
  ({ text } = await service.send('GET', '/api/v1/openapi.json', undefined));
  document = JSON.parse(text) as Document;
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
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

const AUTHORIZATION = {
  authorizationUrl: 'https://login.example/authorize',
  tokenUrl: 'https://login.example/token',
};

/** The description of a service that knows where clients obtain access tokens. */
function documentWithFlow(): Document {
  const settings = loadSettings({
    AUTH_AUTHORIZATION_URL: AUTHORIZATION.authorizationUrl,
    AUTH_TOKEN_URL: AUTHORIZATION.tokenUrl,
  });
  return service.app.get(ApiDescription).describe(settings) as unknown as Document;
}

describe('the API description', () => {
  // Without addresses there is no flow that could list the scope which operations ask for.
  it('passes a linter for OpenAPI', () => lint(text, 'rules: { security-scopes-defined: off }\n'));

  it('passes it with the addresses of an authorization server too', () =>
    lint(JSON.stringify(documentWithFlow())));

  it('names no OAuth flow when the settings name none', () => {
    expect(document.components.securitySchemes.oauth.flows).toEqual({});
  });

  it('takes the addresses of the authorization server from the settings', () => {
    expect(documentWithFlow().components.securitySchemes.oauth.flows).toEqual({
      authorizationCode: {
        ...AUTHORIZATION,
        scopes: { 'offers:read': expect.any(String) as string },
      },
    });
  });

  it('documents exactly the codes of each endpoint', () => {
    const statuses = (path: string): string[] => Object.keys(document.paths[path]!.get.responses);
    expect(statuses('/api/v1/deal-sets')).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '429',
      '500',
      '503',
    ]);
    expect(statuses('/api/v1/deal-sets/{id}')).toEqual([
      '200',
      '401',
      '403',
      '404',
      '429',
      '500',
      '503',
    ]);
  });

  it('lets new fields appear without making generated types accept any name', () => {
    expect(text).not.toContain('additionalProperties');
  });

  it('requires the headers that always come, and no others', () => {
    const required = (path: string, status: string): string[] => {
      const headers = Object.entries(document.paths[path]!.get.responses[status]!.headers);
      return headers
        .filter(([, { required: isRequired }]) => isRequired === true)
        .map(([name]) => name);
    };
    const always = ['Cache-Control', 'Service-API-Version', 'Service-Request-Id'];
    expect(required('/api/v1/deal-sets', '200')).toEqual([...always, 'Service-More']);
    expect(required('/api/v1/deal-sets', '400')).toEqual(always);
    const path = '/api/v1/deal-sets/{id}';
    expect(required(path, '200')).toEqual(always);
    expect(required(path, '401')).toEqual([...always, 'WWW-Authenticate']);
    expect(required(path, '403')).toEqual([...always, 'WWW-Authenticate']);
    expect(required(path, '429')).toEqual([...always, 'Retry-After']);
    expect(required(path, '503')).toEqual(always);
  });

  it('shows the message that a wrong `since` gets', () => {
    const examples = document.paths['/api/v1/deal-sets']!.get.responses['400'];
    expect(JSON.stringify(examples)).toContain('`since` must be one ISO 8601 date and time');
  });

  it('describes each field for the buyer and for an assistant', () => {
    const describedAs = (schema: string, field: string): string =>
      document.components.schemas[schema]?.properties?.[field]?.description ?? '';
    expect(describedAs('DealSetEntry', 'lowestWrittenOtdCents')).toContain(
      'then of the archived rows for the same car; then of the rows for a different car',
    );
    expect(describedAs('SingleEntry', 'dealerLabel')).toMatch(
      /null until then\. For an assistant always the car \(year, model, trim\); null when/,
    );
    expect(describedAs('QuestionItem', 'heading')).not.toContain(
      'always a description of the car.',
    );
    expect(describedAs('Row', 'gapToLowestCents')).toContain('own group');
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
    const [list, listWithFlow] = [document, documentWithFlow()].map(
      ({ paths }) => paths['/api/v1/deal-sets']!.get,
    );
    expect(list).toMatchObject({ 'x-required-scope': 'offers:read' });
    for (const operation of [list, listWithFlow]) {
      expect(operation!.security).toEqual([{ session: [] }, { oauth: ['offers:read'] }]);
    }
  });

  it('declares the list’s bounds', () => {
    expect(document.paths['/api/v1/deal-sets']!.get).toMatchObject({
      'x-list-bounds': { maxItems: 4, itemDeadlineMs: 4000 },
    });
  });
});
