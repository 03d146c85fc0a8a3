import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server';
import { load, smallWorld } from '../../builders/index.js';
import { MODERN, McpService } from '../../setup/mcp-service.js';

const world = smallWorld();
const LEGACY = '2025-11-25';
const VIEW = 'ui://deal-sets/deal-set.html';
const EXTENSION = { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } };

let mcp: McpService;
let token: string;
beforeAll(async () => {
  mcp = await McpService.start();
  await load(mcp.service.database, world.records);
  ({ token } = await mcp.tokenFor(world.buyer.id));
});
afterAll(() => mcp.stop());

async function connect(version: string, extensions?: typeof EXTENSION): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: extensions ? { extensions } : {},
      versionNegotiation: { mode: version === MODERN ? { pin: MODERN } : 'legacy' },
    },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.address), { requestInit }));
  return client;
}

const metaOfTools = async (client: Client): Promise<unknown> => {
  const { tools } = await client.listTools();
  return Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta]));
};

describe('the view of a deal set', () => {
  it.each([
    [MODERN, 'with', EXTENSION],
    [LEGACY, 'with', EXTENSION],
    [MODERN, 'without', undefined],
    [LEGACY, 'without', undefined],
  ])(
    'is served to a client of %s that connects %s the extension',
    async (version, _, extension) => {
      const client = await connect(version, extension);
      expect(client.getServerCapabilities()).toMatchObject({
        resources: { listChanged: false },
        extensions: { [EXTENSION_ID]: {} },
      });
      expect(await metaOfTools(client)).toEqual({
        list_price_requests: undefined,
        get_deal_set: { ui: { resourceUri: VIEW }, 'ui/resourceUri': VIEW },
      });
      const { resources } = await client.listResources();
      expect(resources).toMatchObject([{ uri: VIEW, mimeType: RESOURCE_MIME_TYPE }]);
      const { contents } = await client.readResource({ uri: VIEW });
      expect(contents).toEqual([
        {
          uri: VIEW,
          mimeType: RESOURCE_MIME_TYPE,
          text: expect.stringMatching(/^<!doctype html>/) as string,
          _meta: { ui: { csp: {}, prefersBorder: true } },
        },
      ]);
      await client.close();
    },
  );

  it('does not exist where the tool is off for the caller', async () => {
    const off = await McpService.start({
      database: mcp.service.database,
      env: { ROLLOUT_GET: 'off' },
    });
    try {
      const credential = await off.tokenFor(world.buyer.id);
      const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: VIEW } };
      const headers = { 'mcp-protocol-version': LEGACY };
      const { message } = await off.post(JSON.stringify(body), headers, credential);
      expect(message.error).toMatchObject({ code: -32601 });
    } finally {
      await off.stop();
    }
  });
});
