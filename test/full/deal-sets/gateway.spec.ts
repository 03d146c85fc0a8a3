import { once } from 'node:events';
import { createServer, request as sendRequest, type Server } from 'node:http';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const world = smallWorld();
const PREFIX = '/deals';
const METADATA = '/.well-known/oauth-protected-resource';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
});
afterAll(() => database.drop());

/** A proxy in front of the port that removes the prefix and passes everything else on. */
async function startProxy(port: number, servicePort: number): Promise<Server> {
  const proxy = createServer((request, response) => {
    const { url = '', method, headers } = request;
    const path = url.replace(new RegExp(`^(${METADATA})?${PREFIX}(?=/|$)`), '$1');
    const forwarded = sendRequest(
      { host: '127.0.0.1', port: servicePort, path, method, headers },
      (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        upstream.pipe(response);
      },
    );
    request.pipe(forwarded);
  }).listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

describe('the service behind a proxy that removes a path prefix', () => {
  let service: TestService;
  let proxy: Server;
  let publicUrl: string;
  beforeAll(async () => {
    const proxyPort = await freePort();
    publicUrl = `http://127.0.0.1:${proxyPort}${PREFIX}`;
    const env = { PUBLIC_URL: publicUrl, MCP: 'on', AUTH_AUDIENCE: publicUrl };
    service = await TestService.start({ database, env });
    proxy = await startProxy(proxyPort, service.port);
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await service.stop();
  });

  const postTo = (url: string, headers: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
    });

  it('leads a client of /mcp from the challenge to the metadata to a token that is accepted', async () => {
    const rejected = await postTo(`${publicUrl}/mcp`, {});
    const challenge = rejected.headers.get('www-authenticate') ?? '';
    const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect([rejected.status, new URL(metadataUrl).pathname]).toEqual([
      401,
      `${METADATA}${PREFIX}/mcp`,
    ]);
    const { resource } = (await (await fetch(metadataUrl)).json()) as { resource: string };
    expect(resource).toBe(`${publicUrl}/mcp`);

    const statusFor = async (aud: string): Promise<number> => {
      const { token } = await service.tokenFor(world.buyer.id, { aud });
      const authorization = `Bearer ${token}`;
      return (await postTo(`${publicUrl}/mcp`, { authorization })).status;
    };
    expect(await statusFor(publicUrl)).toBe(200);
    expect(await statusFor(new URL(publicUrl).origin)).toBe(401);
  });

  it('names the API by its address in the metadata and the description', async () => {
    const { origin } = new URL(publicUrl);
    const metadata = await (await fetch(origin + METADATA + PREFIX)).json();
    expect(metadata).toMatchObject({
      resource: publicUrl,
      resource_documentation: `${publicUrl}/api/v1/docs`,
    });
    const description = await (await fetch(`${publicUrl}/api/v1/openapi.json`)).json();
    expect(description).toMatchObject({ servers: [{ url: PREFIX }] });
  });

  it('accepts only pages of its own origin at /mcp', async () => {
    const { token } = await service.tokenFor(world.buyer.id, { aud: publicUrl });
    const statusFor = async (origin: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, origin };
      return (await postTo(`${publicUrl}/mcp`, headers)).status;
    };
    expect(await statusFor(new URL(publicUrl).origin)).toBe(200);
    expect(await statusFor('https://other.example')).toBe(403);
    expect(await statusFor(publicUrl)).toBe(403);
  });
});

describe('the X-Request-Id of a gateway', () => {
  it.each([
    ['5f2c1d9e-0d8f-4a53-9d7e-1b2c3d4e5f6a', true],
    ['1-67891233-abcdef012345678912345678', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['two words', false],
    ['a{"b"}', false],
    ['', false],
  ])(
    'is on the log line beside the service’s own id, if it is valid: %s',
    async (header, isValid) => {
      const service = await TestService.start({ database });
      const { headers } = await service.call(LIST, { headers: { 'x-request-id': header } });
      const id = headers['service-request-id'];
      await eventually(() => {
        const line = service.logLines.find((text) => text.includes(`"id":"${String(id)}"`));
        expect(JSON.parse(line ?? '{}')).toMatchObject({ msg: 'request', id });
        expect(line?.includes(`"gatewayRequestId":"${header}"`)).toBe(isValid);
        expect(line?.includes('gatewayRequestId')).toBe(isValid);
      });
      expect(JSON.stringify(headers)).not.toContain(header === '' ? 'x-request-id' : header);
      await service.stop();
    },
  );
});
