import { load, smallWorld } from '../../builders/index.js';
import { McpService, type McpAnswer } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import type { Credential } from '../../setup/test-service.js';

const world = smallWorld();
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

interface Variant {
  readonly version?: string;
  readonly headers?: Record<string, string>;
  readonly message?: object;
  readonly params?: object;
}

const CLAIMS = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function call({ version, headers, message, params }: Variant = {}): Promise<McpAnswer> {
  const name = 'get_deal_set';
  const input = { name, arguments: { dealSetId: world.set.id } };
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { ...input, ...(!version && { _meta: CLAIMS }), ...params },
    ...message,
  };
  return mcp.post(
    JSON.stringify(body),
    {
      'mcp-protocol-version': version ?? '2026-07-28',
      ...(!version && { 'mcp-method': 'tools/call', 'mcp-name': name }),
      ...headers,
    },
    assistant,
  );
}

describe.each([
  ['2026-07-28', undefined],
  ['2025-11-25', '2025-11-25'],
])('a tool call, %s', (_title, version) => {
  const same = version === undefined ? {} : { version };

  it('has a response with its own id and result', async () => {
    const first = await call(same);
    const again = await call(same);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);

    const other = await call({ ...same, message: { id: 'a "b"' } });
    expect(other.text).toBe(first.text.replace(/"id":1}$/, '"id":"a \\"b\\""}'));
    const missing = await call({ ...same, params: { arguments: { dealSetId: 'none' } } });
    expect(missing.message.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('"not_found"') as string }],
    });
    expect(missing.message.result).not.toHaveProperty('structuredContent');
  });

  const refused: Readonly<Record<string, Variant>> = {
    'another version of JSON-RPC': { message: { jsonrpc: '1.0' } },
    'an id that is none': { message: { id: { a: 1 } } },
    'a broken number as its id': { message: { id: 1.5 } },
    'arguments that are a list': { params: { arguments: [] } },
    'arguments that are null': { params: { arguments: null } },
    'an unknown tool': { params: { name: 'delete_all' } },
    'an unknown revision': { headers: { 'mcp-protocol-version': '1999-01-01' } },
  };

  it.each(Object.entries(refused))('is refused with %s', async (_name, variant) => {
    const { status, message, text } = await call({ ...same, ...variant });
    expect([status, text]).not.toEqual([200, expect.stringContaining('"structuredContent"')]);
    expect(message.error ?? message.result?.isError).toBeDefined();
  });

  it.each([
    [
      { dealSetId: world.set.id, part: 'rows' },
      'part must be equal to one of the allowed values: needs_you, ranked, everyone_else',
    ],
    [{}, "the input must have required property 'dealSetId'"],
    [{ dealSetId: 7 }, 'dealSetId must be string'],
    [{ dealSetId: world.set.id, from: -1 }, 'from must be >= 0'],
    [
      { dealSetId: world.set.id, limit: 3 },
      'there is no argument limit; the arguments are dealSetId, part, from',
    ],
  ])('says of %j what a model can correct', async (input, problem) => {
    const { message } = await call({ ...same, params: { arguments: input } });
    expect(message.result).toMatchObject({ isError: true });
    expect(JSON.parse(message.result!.content[0]!.text)).toEqual({
      error: { code: 'invalid_request', message: expect.any(String) as string },
      problem,
    });
  });

  it('is acknowledged without a result when it has no id', async () => {
    const { status, text } = await call({ ...same, message: { id: undefined } });
    expect([status, text]).toEqual([202, '']);
  });
});

describe('a modern tool call', () => {
  it.each([
    ['another method', { 'mcp-method': 'tools/list' }],
    ['another tool', { 'mcp-name': 'list_price_requests' }],
  ])('is refused with a header that names %s', async (_title, headers) => {
    const { status, message } = await call({ headers });
    expect([status, message.error?.code]).toEqual([400, -32020]);
  });

  it('is refused without the capabilities of its client', async () => {
    const { message } = await call({
      params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
    });
    expect(message.error?.code).toBe(-32602);
  });
});
