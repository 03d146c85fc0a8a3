import { Ajv2020 } from 'ajv/dist/2020.js';
import { insert, smallWorld } from '../../builders/index.js';
import { UrlCacheModule } from '../../setup/caching-modules.js';
import { eventually } from '../../setup/eventually.js';
import { describeStandalone, HOST } from '../../setup/host-application.js';
import { LIST } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const world = smallWorld();
let database: TestDatabase;
let mcp: McpService;
let assistant: Credential;

beforeAll(async () => {
  database = await createTestDatabase();
  await insert(database, world.records);
  mcp = await McpService.start({ database });
  assistant = await mcp.tokenFor(world.buyer.id);
});
afterAll(async () => {
  await mcp.stop();
  await database.drop();
});

const discover = (credential: Credential, headers: Record<string, string> = {}, on = mcp) =>
  on.request('server/discover', {}, credential, headers);

describe('the MCP endpoint', () => {
  it('responds to both protocol eras with JSON and no session, and sends a model its instructions', async () => {
    const modern = await discover(assistant);
    const params = { protocolVersion: '2025-11-25', capabilities: {} };
    const legacy = await mcp.post(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 'a',
        method: 'initialize',
        params: { ...params, clientInfo: { name: 'test', version: '1' } },
      }),
      {},
      assistant,
    );
    expect([modern.message.result, legacy.message.result]).toMatchObject([
      {
        supportedVersions: ['2026-07-28'],
        resultType: 'complete',
        instructions: expect.stringMatching(/US cents.*since/) as string,
      },
      { protocolVersion: '2025-11-25' },
    ]);
    for (const { status, headers } of [modern, legacy]) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'private, no-store',
      });
      expect(headers).not.toHaveProperty('mcp-session-id');
    }
  });

  it('rejects subscriptions at once, with JSON', async () => {
    const notifications = { toolsListChanged: true };
    const response = await mcp.request('subscriptions/listen', { notifications }, assistant);
    expect(response).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      message: { error: { code: -32603 } },
    });
  });

  it.each(['GET', 'DELETE'])('responds to %s with 405 and the allowed method', async (method) => {
    const response = await mcp.service.send(method, '/mcp', assistant);
    expect(response).toMatchObject({
      status: 405,
      code: 'invalid_request',
      headers: { allow: 'POST' },
    });
  });

  it('names existing metadata in its challenges, whatever guards a host application has', async () => {
    const path = '/.well-known/oauth-protected-resource/mcp';
    for (const method of ['GET', 'OPTIONS']) {
      const { status, text, headers } = await mcp.service.call(path, {
        method,
        headers: { 'x-host-key': 'wrong' },
      });
      expect(headers['access-control-allow-origin']).toBe('*');
      if (method === 'OPTIONS') expect([status, text]).toEqual([204, '']);
      else expect(JSON.parse(text)).toMatchObject({ resource: mcp.address });
    }
  });

  it('does not accept a host application’s own credential', async () => {
    const { status } = await discover(undefined, { 'x-host-key': 'right' });
    expect(status).toBe(401);
  });

  it.each([
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['origin', 'http://127.0.0.1.evil.example'],
    ['origin', 'chrome-extension://localhost'],
    ['origin', ''],
    ['host', 'user@localhost:1'],
    ['host', 'evil.example'],
    ['host', 'localhost.evil.example:80'],
  ])('rejects the %s %s before it looks at the credential', async (name, value) => {
    for (const credential of [assistant, undefined]) {
      const response = await discover(credential, { [name]: value });
      expect([response.status, response.code]).toEqual([403, 'forbidden']);
      expect(response.headers).not.toHaveProperty('www-authenticate');
      const id = JSON.stringify(response.headers['service-request-id']);
      await eventually(() => {
        const line = mcp.service.logLines.find((text) => text.includes(`"id":${id}`)) ?? '{}';
        expect(JSON.parse(line)).toMatchObject({ status: 403, reason: `${name}_not_allowed` });
        expect(line).not.toContain('evil');
      });
    }
  });

  it.each([
    ['origin', 'http://localhost:6274'],
    ['host', 'localhost:1'],
  ])('accepts the loopback %s %s', async (name, value) => {
    expect((await discover(assistant, { [name]: value })).status).toBe(200);
  });

  it('does not accept a session', async () => {
    const response = await discover(world.session);
    expect([response.status, response.code]).toEqual([401, 'unauthenticated']);
  });

  it('names its own metadata in its challenges, unlike REST', async () => {
    const metadata = `resource_metadata="${mcp.publicUrl}/.well-known/oauth-protected-resource/mcp"`;
    const [invalid, scope] = ['error="invalid_token"', 'scope="offers:read"'];
    const insufficient = 'error="insufficient_scope"';
    const noScope = await mcp.tokenFor(world.buyer.id, { scope: 'requests:submit' });
    const expected: [Credential, number, string, string][] = [
      [undefined, 401, `${metadata}, ${scope}`, invalid],
      [{ token: 'no-token' }, 401, `${invalid}, ${metadata}, ${scope}`, invalid],
      [noScope, 403, `${insufficient}, ${metadata}, ${scope}`, `${insufficient}, ${scope}`],
    ];
    for (const [credential, status, ofMcp, ofRest] of expected) {
      const here = await discover(credential);
      expect([here.status, here.headers['www-authenticate']]).toEqual([status, `Bearer ${ofMcp}`]);
      const there = await mcp.service.get(LIST, credential);
      expect([there.status, there.headers['www-authenticate']]).toEqual([
        status,
        `Bearer ${ofRest}`,
      ]);
    }
  });

  it.each([
    ['missing', undefined],
    ['malformed', { token: 'no token' }],
  ])('logs that a credential is %s', async (reason, credential) => {
    const { headers } = await discover(credential);
    const id = JSON.stringify(headers['service-request-id']);
    await eventually(() => {
      const line = mcp.service.logLines.find((text) => text.includes(`"id":${id}`)) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({ status: 401, reason });
    });
  });

  it('admits a token for its own address or the origin alone, remembered or not', async () => {
    const statuses = async (credential: Credential): Promise<number[]> => [
      (await mcp.service.get(LIST, credential)).status,
      (await discover(credential)).status,
      (await mcp.service.get(LIST, credential)).status,
    ];
    expect(await statuses(await mcp.service.tokenFor(world.buyer.id))).toEqual([200, 401, 200]);
    const own = [mcp.publicUrl, `${mcp.publicUrl}/`, mcp.address];
    for (const aud of [...own, [mcp.address, 'https://other.test']])
      expect(await statuses(await mcp.tokenFor(world.buyer.id, { aud }))).toEqual([200, 200, 200]);
    const forOther = await mcp.tokenFor(world.buyer.id, { aud: `${mcp.address}/` });
    expect((await discover(forOther)).status).toBe(401);
  });

  it('admits the addresses that its metadata advertises, whatever the audiences of REST are', async () => {
    const env = { AUTH_AUDIENCE: 'https://deal-sets.test/api' };
    const other = await McpService.start({ database, env });
    try {
      const path = '/.well-known/oauth-protected-resource/mcp';
      const { text } = await other.service.call(path);
      const { resource } = JSON.parse(text) as { readonly resource: string };
      const credential = await other.tokenFor(world.buyer.id, { aud: resource });
      expect((await discover(credential, {}, other)).status).toBe(200);
      expect((await other.service.get(LIST, credential)).status).toBe(401);
    } finally {
      await other.stop();
    }
  });

  it('appears in the API description', async () => {
    const { text } = await mcp.service.send('GET', '/api/v1/openapi.json', undefined);
    const { paths } = JSON.parse(text) as {
      paths: Record<string, { readonly post: { readonly responses: object } }>;
    };
    // Standalone, the scheme is `dealSetsBearer` while no authorization endpoints are known.
    const scheme = HOST ? 'oauth' : 'dealSetsBearer';
    expect(paths['/mcp']).toMatchObject({ post: { security: [{ [scheme]: ['offers:read'] }] } });
    const statuses = '200 202 400 401 403 404 413 415 500 503'.split(' ');
    expect(Object.keys(paths['/mcp']!.post.responses).sort()).toEqual(statuses);
  });
});

/** The text of arrays in arrays. */
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
/** A call of a tool with these arguments, as JSON, of revision 2025-11-25. */
const toolCall = (input: string): string =>
  `{"jsonrpc":"2.0","id":"of the client","method":"tools/call","params":{"name":"list_price_requests","arguments":${input}}}`;
const LEGACY = { 'mcp-protocol-version': '2025-11-25' };
/** A response to a message that is not processed: a JSON-RPC error with the contract's headers. */
const messageError = (status: number, code: number, id: string | null): object => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    'service-api-version': '2026-10-13',
  },
  message: {
    jsonrpc: '2.0',
    id,
    error: { code, message: 'The request is not valid.', data: { code: 'invalid_request' } },
  },
});

describeStandalone('the body of a POST', () => {
  it.each([
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415, -32000],
    ['a body of more than 16 KB', JSON.stringify({ pad: 'x'.repeat(17_000) }), {}, 413, -32000],
    ['a body that is not JSON', '{', {}, 400, -32600],
    ['an empty body', '', {}, 400, -32600],
  ])(
    'is rejected with the error of the protocol: %s',
    async (_what, body, headers, status, code) => {
      const response = await mcp.post(body, headers, assistant);
      expect(response).toMatchObject(messageError(status, code, null));
    },
  );

  it('may have 16 KB', async () => {
    const pad = 'x'.repeat(16_000);
    const response = await mcp.post(toolCall(`{"since":"${pad}"}`), LEGACY, assistant);
    expect(response.message.result).toMatchObject({ isError: true });
  });
});

describe('a message that is not a JSON-RPC request', () => {
  // The standalone application rejects it before it parses the body.
  const idOfDeepCall = HOST ? 'of the client' : null;
  it.each([
    ['a batch', '[]', null],
    ['a batch of one call', `[${toolCall('{}')}]`, null],
    ['a call with arrays in arrays', toolCall(`{"since":${nested(5_000)}}`), idOfDeepCall],
    ['a call with 17 levels', toolCall(`{"since":${nested(14)}}`), idOfDeepCall],
    ['an id of many levels', `{"method":"tools/call","id":${nested(5_000)}}`, null],
  ])('is rejected with the error of the protocol: %s', async (_what, body, id) => {
    const response = await mcp.post(body, LEGACY, assistant);
    expect(response).toMatchObject(messageError(400, -32600, id));
  });

  it('is rejected as the API description says', async () => {
    const description = await mcp.service.send('GET', '/api/v1/openapi.json', undefined);
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ ...(JSON.parse(description.text) as object), $id: 'api' });
    for (const body of ['[]', toolCall(`{"since":${nested(14)}}`)]) {
      const { message } = await mcp.post(body, LEGACY, assistant);
      ajv.validate('api#/components/schemas/McpError', message);
      expect(ajv.errors).toBeNull();
    }
  });

  it('may have 16 levels', async () => {
    const response = await mcp.post(toolCall(`{"since":${nested(13)}}`), LEGACY, assistant);
    expect(response.message.result).toMatchObject({ isError: true });
  });
});

describe('the MCP endpoint in an application with a cache for every route', () => {
  it('sends 500 in place of a response that was made for another request', async () => {
    const cached = await McpService.start({ database, hostOptions: { imports: [UrlCacheModule] } });
    try {
      const credential = await cached.tokenFor(world.buyer.id);
      expect((await discover(credential, {}, cached)).status).toBe(200);
      const rejection = await discover(credential, {}, cached);
      expect([rejection.status, rejection.message.error?.code]).toEqual([500, 'internal']);
    } finally {
      await cached.stop();
    }
  });
});

describe('the MCP endpoint with other settings', () => {
  let other: McpService | TestService | undefined;
  afterEach(() => other?.stop());

  it('is absent, like its metadata, while MCP is off', async () => {
    const off = (other = await TestService.start({ database }));
    for (const [method, path] of [
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ] as const) {
      const response = await off.send(method, path, assistant);
      // The 404 of a path without a route comes from the host application.
      expect([response.status, response.code]).toEqual([404, HOST ? undefined : 'not_found']);
    }
  });

  it('is hidden by its flag after the credential and before the scope', async () => {
    const hidden = (other = await McpService.start({ database, env: { ROLLOUT_MCP: 'off' } }));
    const noScope = await hidden.tokenFor(world.buyer.id, { scope: '' });
    const statuses = [];
    for (const credential of [undefined, noScope, await hidden.tokenFor(world.buyer.id)])
      statuses.push((await discover(credential, {}, hidden)).status);
    expect(statuses).toEqual([401, 404, 404]);
  });

  it('counts the calls of tools beside REST, and no other message; a rejection is a result', async () => {
    const limited = (other = await McpService.start({ database, env: { READ_RATE_LIMIT: '2' } }));
    const credential = await limited.tokenFor(world.buyer.id);
    expect((await limited.tool('list_price_requests', {}, credential)).isError).toBeUndefined();
    expect((await limited.service.get(LIST, credential)).status).toBe(200);
    expect((await limited.service.get(LIST, credential)).status).toBe(429);
    for (const input of ['{}', '{"since":"yesterday"}']) {
      const { status, message, text, headers } = await limited.post(
        toolCall(input),
        LEGACY,
        credential,
      );
      const { isError, content } = message.result!;
      expect([status, isError, JSON.parse(content[0]!.text)]).toEqual([
        200,
        true,
        {
          error: { code: 'rate_limited', message: 'Too many requests. Wait before the next one.' },
          retryAfterSeconds: expect.any(Number) as number,
        },
      ]);
      expect(text).toContain('"id":"of the client"');
      expect(headers).not.toHaveProperty('ratelimit');
    }
    const first = await discover(credential, {}, limited);
    const listed = await limited.request('tools/list', {}, credential);
    for (const { status, headers } of [first, listed]) {
      expect(status).toBe(200);
      expect(headers).not.toHaveProperty('ratelimit');
    }
  });
});
