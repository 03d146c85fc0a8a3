import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { MODERN, McpService } from '../../setup/mcp-service.js';

const world = smallWorld();
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const OTHER_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = (traceId: string): string => `00-${traceId}-b7ad6b7169203331-01`;

let mcp: McpService;
let token: string;
beforeAll(async () => {
  mcp = await McpService.start();
  await load(mcp.service.database, world.records);
  ({ token } = await mcp.tokenFor(world.buyer.id));
});
afterAll(() => mcp.stop());

describe('an MCP client', () => {
  it('lists the tools once in five minutes', async () => {
    let posts = 0;
    const transport = new StreamableHTTPClientTransport(new URL(mcp.address), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      fetch: (url, init) => {
        posts += 1;
        return fetch(url, init);
      },
    });
    const self = { name: 'test', version: '1.0.0' };
    const client = new Client(self, { versionNegotiation: { mode: { pin: MODERN } } });
    await client.connect(transport);
    const first = await client.listTools();
    const postsBefore = posts;
    expect(await client.listTools()).toEqual(first);
    expect(posts).toBe(postsBefore);
    expect(first).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    await client.close();
  });

  it('receives the version of the package, the date of the contract, the address and an icon', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const discovered = await mcp.request('server/discover', {}, { token });
    const identity = {
      name: 'deal-sets',
      version,
      description: expect.stringContaining('2026-10-13') as string,
      websiteUrl: mcp.publicUrl,
      icons: [expect.objectContaining({ mimeType: 'image/svg+xml' })],
    };
    const legacy = await mcp.post(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
      {},
      { token },
    );
    expect(legacy.message.result).toMatchObject({ serverInfo: identity });
    expect(discovered.text).toContain(JSON.stringify(version));
    expect(discovered.message.result).toMatchObject({ ttlMs: 300_000 });
  });
});

describe('the trace id of an MCP call', () => {
  /** The trace id on the log line of a call. */
  async function traceIdOfLogLine(
    meta: unknown,
    headers: Record<string, string>,
  ): Promise<unknown> {
    const params = { name: 'list_price_requests', arguments: {}, _meta: meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const sent = { 'mcp-protocol-version': '2025-11-25', ...headers };
    const response = await mcp.post(body, sent, { token });
    const id = `"id":"${String(response.headers['service-request-id'])}"`;
    let line: string | undefined;
    await eventually(() => {
      line = mcp.service.logLines.find((text) => text.includes(id));
      expect(line).toBeDefined();
    });
    return (JSON.parse(line ?? '{}') as { trace_id?: string }).trace_id;
  }

  it.each<[string, unknown, Record<string, string>, string | undefined]>([
    ['comes from the message', { traceparent: traceparent(TRACE) }, {}, TRACE],
    [
      'comes from the header when the message has another',
      { traceparent: traceparent(TRACE) },
      { traceparent: traceparent(OTHER_TRACE) },
      OTHER_TRACE,
    ],
    [
      'is absent when the text is not a trace context',
      { traceparent: 'Redwood Motors' },
      {},
      undefined,
    ],
    [
      'is absent when the value is not a text',
      { traceparent: [traceparent(TRACE)] },
      {},
      undefined,
    ],
    ['is absent without a trace context', undefined, {}, undefined],
  ])('%s', async (_what, meta, headers, traceId) => {
    expect(await traceIdOfLogLine(meta, headers)).toBe(traceId);
  });
});
