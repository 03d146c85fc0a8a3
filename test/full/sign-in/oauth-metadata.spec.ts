import { McpService } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const PATH = '/.well-known/oauth-protected-resource';
const PUBLIC_URL = 'https://api.example';

let database: TestDatabase;
let withoutMcp: TestService;
let mcp: McpService;
beforeAll(async () => {
  database = await createTestDatabase();
  withoutMcp = await TestService.start({ database, env: { PUBLIC_URL } });
  mcp = await McpService.start({ database });
});
afterAll(async () => {
  await withoutMcp.stop();
  await mcp.service.stop();
  await database.drop();
});

const metadataOf = (publicUrl: string, path: string) => ({
  resource: publicUrl + path,
  resource_name: 'Deal Sets',
  resource_documentation: `${publicUrl}/api/v1/docs`,
  authorization_servers: ['https://issuer.test'],
  scopes_supported: ['offers:read'],
  bearer_methods_supported: ['header'],
});

const CONTRACT_HEADERS = {
  'cache-control': 'private, no-store',
  'service-api-version': '2026-10-13',
};

describe('the OAuth metadata of the API', () => {
  it('is served without MCP, to pages of any origin', async () => {
    const { status, headers, text } = await withoutMcp.call(PATH, {
      headers: { origin: 'https://any.example' },
    });
    expect([status, JSON.parse(text)]).toEqual([200, metadataOf(PUBLIC_URL, '')]);
    expect(headers).toMatchObject({ ...CONTRACT_HEADERS, 'access-control-allow-origin': '*' });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('is served with MCP, beside that of /mcp', async () => {
    for (const path of ['', '/mcp']) {
      const { status, text } = await mcp.service.call(PATH + path);
      expect([status, JSON.parse(text)]).toEqual([200, metadataOf(mcp.publicUrl, path)]);
    }
  });

  it('responds to a preflight with 204', async () => {
    const { status, headers, text } = await withoutMcp.call(PATH, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://any.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({
      ...CONTRACT_HEADERS,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': '*',
    });
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('is not found by %s', async (method) => {
    const { status, code, headers } = await withoutMcp.call(PATH, { method });
    expect([status, code]).toEqual([404, 'not_found']);
    expect(headers).toMatchObject(CONTRACT_HEADERS);
  });

  it('is not found for /mcp while MCP is off', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { status, code } = await withoutMcp.call(`${PATH}/mcp`, { method });
      expect([status, code]).toEqual([404, 'not_found']);
    }
  });

  it.each<[string, Record<string, string | undefined>]>([
    [
      'an issuer',
      { AUTH_ISSUER: undefined, AUTH_AUDIENCE: undefined, AUTH_JWKS_URL: undefined, PUBLIC_URL },
    ],
    ['an address of its own', {}],
  ])('is not found without %s', async (_what, env) => {
    const service = await TestService.start({ database, env });
    const responses = [await service.call(PATH), await service.call(PATH, { method: 'OPTIONS' })];
    await service.stop();
    for (const { status, code, headers } of responses) {
      expect([status, code]).toEqual([404, 'not_found']);
      expect(headers).toMatchObject(CONTRACT_HEADERS);
    }
  });
});
