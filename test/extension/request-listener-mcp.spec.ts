import { createServer, type Server } from 'node:http';
import {
  createRequestListener,
  loadSettings,
  type DealSetsExtensions,
  type HostedService,
} from '../../src/index.js';
import { load, smallWorld } from '../builders/index.js';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestIssuer } from '../setup/test-issuer.js';

const world = smallWorld();
const METADATA = '/.well-known/oauth-protected-resource';
const silent: DealSetsExtensions = { logSink: { write: () => undefined } };

let database: TestDatabase;
let issuer: TestIssuer;

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  issuer = await TestIssuer.start();
});
afterAll(async () => {
  await issuer.close();
  await database.drop();
});

/** A host on a port of its own, with the service as its listener. */
async function inHost(mcp: 'on' | 'off', work: (url: string) => Promise<void>): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = loadSettings({
    DATABASE_URL: database.url,
    ...issuer.env,
    MCP: mcp,
    PUBLIC_URL: url,
    AUTH_AUDIENCE: `https://deal-sets.test/api,${url}/mcp`,
  });
  const hosted: HostedService = await createRequestListener(settings, silent);
  const server: Server = createServer((request, response) => {
    if (!hosted.listener(request, response)) response.end(`host ${request.url}`);
  });
  try {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await work(url);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await hosted.close();
  }
}

describe('createRequestListener', () => {
  it('serves MCP and its metadata in the host with MCP=on', () =>
    inHost('on', async (url) => {
      const metadata = await fetch(`${url}${METADATA}/mcp`);
      expect(await metadata.json()).toMatchObject({ resource: `${url}/mcp` });
      const refused = await fetch(`${url}/mcp`, { method: 'POST' });
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining(`resource_metadata="${url}${METADATA}/mcp"`),
      ]);
      const stream = await fetch(`${url}/mcp`);
      expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST']);

      const token = await issuer.token(world.anna.id, { claims: { aud: `${url}/mcp` } });
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_price_requests', arguments: {} },
        }),
      });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining(world.set.id),
      ]);
      expect(await (await fetch(`${url}/mcp/x`)).text()).toBe('host /mcp/x');
    }));

  it('leaves the paths of MCP to the host with MCP=off', () =>
    inHost('off', async (url) => {
      for (const path of ['/mcp', METADATA, `${METADATA}/mcp`]) {
        expect(await (await fetch(`${url}${path}`)).text()).toBe(`host ${path}`);
      }
    }));
});
