import { load, smallWorld } from '../../builders/index.js';
import { McpService } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const world = smallWorld();
const LIST = '/api/v1/deal-sets';
let database: TestDatabase;
let mcp: McpService;
let assistant: Credential;

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  mcp = await McpService.start({ database });
  assistant = await mcp.tokenFor(world.anna.id);
});
afterAll(async () => {
  await mcp.stop();
  await database.drop();
});

const discover = (credential: Credential, headers: Record<string, string> = {}) =>
  mcp.request('server/discover', {}, credential, headers);

interface ErrorBody {
  readonly error: { readonly code: string };
}
const codeOf = ({ text }: { readonly text: string }): string =>
  (JSON.parse(text) as ErrorBody).error.code;

describe('the MCP endpoint', () => {
  it('answers both eras with JSON and no session', async () => {
    const modern = await discover(assistant);
    expect([modern.status, modern.message.result]).toEqual([
      200,
      expect.objectContaining({ supportedVersions: ['2026-07-28'], resultType: 'complete' }),
    ]);
    const legacy = await mcp.post(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 'a',
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
      {},
      assistant,
    );
    expect([legacy.status, legacy.message.result]).toEqual([
      200,
      expect.objectContaining({ protocolVersion: '2025-11-25' }),
    ]);
    for (const { headers } of [modern, legacy]) {
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'private, no-store',
      });
      expect(headers).not.toHaveProperty('mcp-session-id');
    }
  });

  it('refuses subscriptions at once', async () => {
    const { status, headers, message } = await mcp.request(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      assistant,
    );
    expect([status, headers['content-type'], message.error?.code]).toEqual([
      200,
      'application/json; charset=utf-8',
      -32603,
    ]);
  });

  it.each(['GET', 'DELETE'])('answers %s with 405 and the method that there is', async (method) => {
    const answer = await mcp.service.send(method, '/mcp', assistant);
    expect([answer.status, codeOf(answer), answer.headers['allow']]).toEqual([
      405,
      'invalid_request',
      'POST',
    ]);
  });

  it.each([
    ['another type', '{}', { 'content-type': 'text/plain' }, 415],
    ['more than 64 KB', JSON.stringify({ words: 'x'.repeat(66_000) }), {}, 413],
    ['what is no JSON', '{', {}, 400],
    ['a batch', '[]', {}, 400],
    ['no body', '', {}, 400],
  ])('refuses %s', async (_what, body, headers, status) => {
    const answer = await mcp.post(body, headers, assistant);
    expect([answer.status, codeOf(answer)]).toEqual([status, 'invalid_request']);
  });

  it('says what a model should know before its first call', async () => {
    const { message } = await discover(assistant);
    expect(message.result).toMatchObject({
      instructions: expect.stringMatching(/US cents.*since/) as string,
    });
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
  ])('refuses the %s %s before it looks at the credential', async (name, value) => {
    for (const credential of [assistant, undefined]) {
      const answer = await discover(credential, { [name]: value });
      expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden']);
      expect(answer.headers).not.toHaveProperty('www-authenticate');
    }
  });

  it.each([
    ['origin', 'http://localhost:6274'],
    ['host', 'localhost:1'],
  ])('lets the loopback %s %s pass', async (name, value) => {
    expect((await discover(assistant, { [name]: value })).status).toBe(200);
  });

  it('is opened by no session', async () => {
    const answer = await discover(world.session);
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthenticated']);
  });

  it('names its metadata in its challenges, which REST does not', async () => {
    const metadata = `resource_metadata="${mcp.publicUrl}/.well-known/oauth-protected-resource/mcp"`;
    const noScope = await mcp.tokenFor(world.anna.id, { scope: 'requests:submit' });
    const expected: [Credential, number, string, string][] = [
      [undefined, 401, `Bearer ${metadata}, scope="offers:read"`, 'Bearer error="invalid_token"'],
      [
        { token: 'no-token' },
        401,
        `Bearer error="invalid_token", ${metadata}, scope="offers:read"`,
        'Bearer error="invalid_token"',
      ],
      [
        noScope,
        403,
        `Bearer error="insufficient_scope", ${metadata}, scope="offers:read"`,
        'Bearer error="insufficient_scope", scope="offers:read"',
      ],
    ];
    for (const [credential, status, ofMcp, ofRest] of expected) {
      const here = await discover(credential);
      expect([here.status, here.headers['www-authenticate']]).toEqual([status, ofMcp]);
      const there = await mcp.service.get(LIST, credential);
      expect([there.status, there.headers['www-authenticate']]).toEqual([status, ofRest]);
    }
  });

  it('admits a token for its own address or the origin alone, remembered or not', async () => {
    const forRest = await mcp.service.tokenFor(world.anna.id);
    expect((await mcp.service.get(LIST, forRest)).status).toBe(200);
    expect((await discover(forRest)).status).toBe(401);
    expect((await mcp.service.get(LIST, forRest)).status).toBe(200);

    const forOrigin = await mcp.tokenFor(world.anna.id, { aud: mcp.publicUrl });
    const forBoth = await mcp.tokenFor(world.anna.id, { aud: [mcp.address, 'https://other.test'] });
    for (const credential of [forOrigin, forBoth, assistant]) {
      expect((await discover(credential)).status).toBe(200);
      expect((await mcp.service.get(LIST, credential)).status).toBe(200);
    }
    const forOther = await mcp.tokenFor(world.anna.id, { aud: `${mcp.address}/` });
    expect((await discover(forOther)).status).toBe(401);
  });

  it('describes itself as a protected resource, and the API beside it', async () => {
    const path = '/.well-known/oauth-protected-resource';
    for (const [resource, target] of [
      [mcp.address, `${path}/mcp`],
      [mcp.publicUrl, path],
    ]) {
      const { status, text } = await mcp.service.send('GET', target!, undefined);
      expect([status, JSON.parse(text)]).toEqual([
        200,
        {
          resource,
          resource_name: 'Deal Sets',
          authorization_servers: ['https://issuer.test'],
          scopes_supported: ['offers:read'],
          bearer_methods_supported: ['header'],
        },
      ]);
    }
  });

  it('appears in the API description', async () => {
    const { text } = await mcp.service.send('GET', '/api/v1/openapi.json', undefined);
    const { paths } = JSON.parse(text) as { paths: Record<string, { post: object }> };
    expect(paths['/mcp']?.post).toMatchObject({ security: [{ oauth: ['offers:read'] }] });
  });
});

describe('the MCP endpoint with other settings', () => {
  async function withService(
    env: Record<string, string>,
    check: (other: McpService) => Promise<void>,
  ): Promise<void> {
    const other = await McpService.start({ database, env });
    try {
      await check(other);
    } finally {
      await other.stop();
    }
  }

  it('does not exist, nor its metadata, while MCP is off', async () => {
    const off = await TestService.start({ database });
    try {
      for (const [method, path] of [
        ['POST', '/mcp'],
        ['GET', '/mcp'],
        ['GET', '/.well-known/oauth-protected-resource'],
        ['GET', '/.well-known/oauth-protected-resource/mcp'],
      ]) {
        const answer = await off.send(method!, path!, assistant);
        expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
      }
    } finally {
      await off.stop();
    }
  });

  it('is hidden by its flag after the credential and before the scope', () =>
    withService({ ROLLOUT_MCP: 'off' }, async (other) => {
      const noScope = await other.tokenFor(world.anna.id, { scope: '' });
      const statuses = [];
      for (const credential of [undefined, noScope, await other.tokenFor(world.anna.id)]) {
        statuses.push((await other.request('server/discover', {}, credential)).status);
      }
      expect(statuses).toEqual([401, 404, 404]);
    }));

  it('counts each POST beside REST; a refusal is HTTP, and a result in a tool call', () =>
    withService({ READ_RATE_LIMIT: '4' }, async (other) => {
      const credential = await other.tokenFor(world.anna.id);
      expect((await other.request('server/discover', {}, credential)).status).toBe(200);
      expect((await other.request('tools/list', {}, credential)).status).toBe(200);
      expect((await other.tool('list_price_requests', {}, credential)).isError).toBeUndefined();
      expect((await other.service.get(LIST, credential)).status).toBe(200);

      expect((await other.service.get(LIST, credential)).status).toBe(429);
      const listed = await other.request('tools/list', {}, credential);
      expect([listed.status, codeOf(listed), Number(listed.headers['retry-after'])]).toEqual([
        429,
        'rate_limited',
        expect.any(Number),
      ]);
      const { isError, content } = await other.tool('list_price_requests', {}, credential);
      expect([isError, JSON.parse(content[0]!.text)]).toEqual([
        true,
        {
          error: { code: 'rate_limited', message: 'Too many requests. Wait before the next one.' },
          retryAfterSeconds: expect.any(Number) as number,
        },
      ]);
    }));
});
