import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { grant, insert, smallWorld } from '../../builders/index.js';
import { describeStandalone } from '../../setup/host-application.js';
import { LIST } from '../../setup/http-call.js';
import { MODERN, McpService, type ToolResult } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const KINDS = ['modern', 'legacy', 'v1'] as const;
type Kind = (typeof KINDS)[number];

/** The calls that the tests make of each client. */
interface ToolClient {
  listTools(): Promise<{ readonly tools: readonly { readonly inputSchema: object }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const world = smallWorld();
let database: TestDatabase;
let mcp: McpService;
let client: ToolClient;

/** More requests than a client makes before the test of the limit. */
const LIMIT = 20;

beforeAll(async () => {
  database = await createTestDatabase();
  const grants = KINDS.flatMap((kind) =>
    [kind, `${kind}-over`].map((clientId) => grant({ buyerId: world.buyer.id, clientId })),
  );
  await insert(database, [...world.records, ...grants]);
  mcp = await McpService.start({ database, env: { READ_RATE_LIMIT: String(LIMIT) } });
});
afterEach(() => client.close());
afterAll(async () => {
  await mcp.stop();
  await database.drop();
});

async function connect(kind: Kind, token: string): Promise<ToolClient> {
  const self = { name: 'test', version: '1.0.0' };
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const address = new URL(mcp.address);
  if (kind === 'v1') {
    const connecting = new Client1(self);
    await connecting.connect(new Transport1(address, { requestInit }));
    return connecting;
  }
  const mode = kind === 'modern' ? { pin: MODERN } : 'legacy';
  const connecting = new Client2(self, { versionNegotiation: { mode } });
  await connecting.connect(new Transport2(address, { requestInit }));
  return connecting;
}

const tokenFor = async (clientId: string): Promise<string> =>
  (await mcp.tokenFor(world.buyer.id, { client_id: clientId })).token;
/** Calls a tool; the input may be what the types of the clients do not allow. */
const callTool = async (name: string, input: unknown): Promise<ToolResult> =>
  (await client.callTool({
    name,
    arguments: input as Record<string, unknown>,
  })) as ToolResult;
const textOf = ({ content }: ToolResult): string => content[0]!.text;

describe.each(KINDS)('the official client of kind %s', (kind) => {
  it('takes null and empty arguments as absent, as the schemas say', async () => {
    client = await connect(kind, await tokenFor(kind));
    const { tools } = await client.listTools();
    const [list, get] = tools.map(({ inputSchema }) => inputSchema);
    expect(list).toMatchObject({ properties: { since: { type: ['string', 'null'] } } });
    expect(get).toMatchObject({
      properties: {
        part: {
          type: ['string', 'null'],
          enum: ['needs_you', 'ranked', 'everyone_else', null],
        },
        from: { type: ['integer', 'null'] },
      },
      required: ['dealSetId'],
    });
    const plain = textOf(await callTool('list_price_requests', {}));
    const { id: dealSetId } = world.set;
    const set = textOf(await callTool('get_deal_set', { dealSetId }));
    for (const input of [{ since: null }, { since: '' }])
      expect(textOf(await callTool('list_price_requests', input))).toBe(plain);
    for (const input of [
      { part: null, from: null },
      { part: '', from: '' },
    ])
      expect(textOf(await callTool('get_deal_set', { dealSetId, ...input }))).toBe(set);
  });

  it('understands the rejection of a call that is nested too deeply', async () => {
    client = await connect(kind, await tokenFor(kind));
    const since = JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) as unknown;
    await expect(callTool('list_price_requests', { since })).rejects.toThrow(
      'The request is not valid.',
    );
  });

  it('understands the rejection of a call over the rate limit', async () => {
    const token = await tokenFor(`${kind}-over`);
    client = await connect(kind, token);
    let status = 200;
    while (status === 200) ({ status } = await mcp.service.send('GET', LIST, { token }));
    const result = await callTool('list_price_requests', {});
    expect([result.isError, JSON.parse(textOf(result))]).toMatchObject([
      true,
      { error: { code: 'rate_limited' } },
    ]);
  });
});

describeStandalone('an official client with a call of more than 16 KB', () => {
  it.each(KINDS)('understands the rejection: %s', async (kind) => {
    client = await connect(kind, await tokenFor(kind));
    const since = 'x'.repeat(17_000);
    await expect(callTool('list_price_requests', { since })).rejects.toThrow(
      'The request is not valid.',
    );
  });
});
