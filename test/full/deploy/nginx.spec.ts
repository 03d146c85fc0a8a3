import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { codeOfStatus } from '../../../src/http/errors/code-of-status.js';
import { errorEnvelope, errorMessage } from '../../../src/kernel/error-catalogue.js';
import { load, smallWorld } from '../../builders/index.js';
import { fencedBlocks } from '../../setup/documented-commands.js';
import { eventually } from '../../setup/eventually.js';
import { call, LIST } from '../../setup/http-call.js';
import { describeWithNginx, NginxServer } from '../../setup/nginx-server.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { signInHeaders, TestService, type Credential } from '../../setup/test-service.js';

const SERVER_NAME = 'api.deal-sets.test';
const PUBLIC_URL = `https://${SERVER_NAME}`;
/** The documented locations, which remove the prefix `/deals`. */
const PREFIX_LOCATIONS = fencedBlocks('docs/operations/install.md', '### A path prefix')
  .map(({ code }) => code)
  .join('\n');
/** More than the burst that the configuration allows. */
const FLOOD = 400;

/**
 * Headers of the connection and of the body, those of nginx alone, and those of single statuses.
 */
const FRAMING = [
  ...['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'retry-after'],
  ...['server', 'vary', ':status', 'service-request-id'],
];
const withoutFraming = (headers: object): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !FRAMING.includes(name)));

interface ProxiedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

describeWithNginx('the service behind nginx with deploy/nginx.conf', () => {
  const world = smallWorld();
  let database: TestDatabase;
  let service: TestService;
  let assistant: Credential;
  let nginx: NginxServer;
  let client: ClientHttp2Session | undefined;
  let isServiceStopped = false;

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, world.records);
    service = await TestService.start({
      database,
      env: { MCP: 'on', PUBLIC_URL, AUTH_AUDIENCE: 'https://deal-sets.test/api' },
    });
    assistant = await service.tokenFor(world.buyer.id);
    // The first instance does not exist, so its requests must reach the other one.
    const instances = [await freePort(), service.port];
    nginx = await NginxServer.start(
      SERVER_NAME,
      instances.map((port) => `127.0.0.1:${port}`),
      PREFIX_LOCATIONS,
    );
  });
  afterAll(async () => {
    client?.destroy();
    await nginx.stop();
    await stopService();
    await database.drop();
  });

  /** Stops the service once: the last test stops it, unless a filter by name skips that test. */
  const stopService = async (): Promise<void> => {
    if (isServiceStopped) return;
    isServiceStopped = true;
    await service.stop();
  };

  /** Connects again if needed, because nginx ends a connection after a thousand requests. */
  const openClient = (): ClientHttp2Session => {
    if (client && !client.closed && !client.destroyed) return client;
    client = connect(`https://127.0.0.1:${nginx.port}`, {
      servername: SERVER_NAME,
      ca: nginx.certificate,
    });
    client.on('error', () => undefined);
    return client;
  };
  const send = (
    path: string,
    {
      method = 'GET',
      credential,
      headers = {},
      body,
    }: {
      readonly method?: string;
      readonly credential?: Credential;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    } = {},
  ): Promise<ProxiedResponse> =>
    new Promise((resolve, reject) => {
      const stream = openClient().request(
        {
          ':path': path,
          ':method': method,
          ':authority': SERVER_NAME,
          ...signInHeaders(credential),
          ...headers,
        },
        { endStream: body === undefined },
      );
      const chunks: Buffer[] = [];
      let responseHeaders: IncomingHttpHeaders = {};
      stream.on('response', (received) => (responseHeaders = received));
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () =>
        resolve({
          status: Number(responseHeaders[':status']),
          headers: responseHeaders,
          body: Buffer.concat(chunks),
        }),
      );
      if (body !== undefined) stream.end(body);
    });
  /** Sends text over HTTP/1.1, and returns everything until nginx closes the connection. */
  const sendText = (text: string, servername = SERVER_NAME): Promise<string> =>
    new Promise((resolve, reject) => {
      let received = '';
      const socket: TLSSocket = connectTls(
        { host: '127.0.0.1', port: nginx.port, servername, rejectUnauthorized: false },
        () => socket.write(text),
      );
      socket.on('data', (data: Buffer) => (received += data.toString()));
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
    });
  /** Returns the status line, empty when the connection is closed without a response. */
  const sendWithHost = async (servername: string, host: string): Promise<string> => {
    const text = `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    return (await sendText(text, servername)).split('\r\n', 1)[0]!;
  };
  const sendRaw = async (text: string): Promise<ProxiedResponse> => {
    const [head = '', body = ''] = (await sendText(text)).split('\r\n\r\n');
    const [statusLine = '', ...lines] = head.split('\r\n');
    const headers = lines.map((line) => line.split(': ') as [string, string]);
    return {
      status: Number(statusLine.split(' ')[1]),
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      body: Buffer.from(body),
    };
  };
  /** Checks that a response of nginx is like one of the service with the same status. */
  const expectServiceError = async ({ status, headers, body }: ProxiedResponse): Promise<void> => {
    const code = codeOfStatus(status)!;
    expect(JSON.parse(body.toString())).toEqual(errorEnvelope(code, errorMessage(code)));
    const { headers: ofService } = await service.send('GET', '/nothing-here', undefined);
    expect(withoutFraming(headers)).toEqual(withoutFraming(ofService));
    expect(headers['service-request-id']).toMatch(/^[0-9a-f]{32}$/);
  };

  it('passes both endpoints through over HTTP/2, for both principals', async () => {
    for (const credential of [world.session, assistant]) {
      for (const path of [LIST, world.getPath]) {
        const direct = await service.get(path, credential);
        const proxied = await send(path, { credential });
        expect([proxied.status, proxied.body.toString()]).toEqual([200, direct.text]);
        expect(proxied.headers).toMatchObject({
          'cache-control': 'private, no-store',
          'content-type': 'application/json; charset=utf-8',
          'service-api-version': direct.headers['service-api-version'],
        });
      }
    }
    expect(client?.alpnProtocol).toBe('h2');
  });

  it('compresses a response of JSON', async () => {
    const plain = await send(world.getPath, { credential: world.session });
    const compressed = await send(world.getPath, {
      credential: world.session,
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringContaining('Accept-Encoding') as string,
    });
    expect(gunzipSync(compressed.body)).toEqual(plain.body);
    expect(compressed.body.length).toBeLessThan(plain.body.length);
  });

  it('passes HEAD and errors through', async () => {
    const { status, body } = await send(LIST, { method: 'HEAD', credential: world.session });
    expect([status, body.length]).toEqual([200, 0]);
    const missing = await send('/nothing-here');
    expect([missing.status, JSON.parse(missing.body.toString())]).toMatchObject([
      404,
      { error: { code: 'not_found' } },
    ]);
    expect((await send(LIST)).status).toBe(401);
  });

  it('passes MCP through, and its challenge names the public address', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    };
    const rejected = await send('/mcp', { method: 'POST', headers, body });
    expect([rejected.status, rejected.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining(`resource_metadata="${PUBLIC_URL}/.well-known/`) as string,
    ]);
    const credential = await service.tokenFor(world.buyer.id, { aud: `${PUBLIC_URL}/mcp` });
    const accepted = await send('/mcp', { method: 'POST', credential, headers, body });
    expect(accepted.status).toBe(200);
    expect(accepted.body.includes('"name":"get_deal_set"')).toBe(true);
  });

  it.each([LIST, `/deals${LIST}`])('sends its own request id with %s', async (path) => {
    const headers = { 'x-request-id': 'of-the-client' };
    const { status, headers: received } = await send(path, { credential: assistant, headers });
    expect(status).toBe(200);
    const id = received['service-request-id'] as string;
    await eventually(() => {
      const line = service.logLines.find((text) => text.includes(id)) ?? '{}';
      const { gatewayRequestId } = JSON.parse(line) as { gatewayRequestId?: string };
      expect(gatewayRequestId).toMatch(/^[0-9a-f]{32}$/);
    });
  });

  it('removes a path prefix, also from the address of the metadata', async () => {
    const path = '/.well-known/oauth-protected-resource';
    const plain = await send(path);
    const prefixed = await send(`${path}/deals`);
    expect([prefixed.status, prefixed.body.toString()]).toEqual([200, plain.body.toString()]);
  });

  it('rejects a body that is too large with the error of the API', async () => {
    const response = await send('/mcp', { method: 'POST', body: 'x'.repeat(65 * 1024) });
    expect(response.status).toBe(413);
    await expectServiceError(response);
  });

  const host = `Host: ${SERVER_NAME}\r\n`;
  const long = 'x'.repeat(40_000);
  it.each([
    ['a request line that is not HTTP', 400, 'GARBAGE\r\n\r\n'],
    ['a path with invalid encoding', 400, `GET /%zz HTTP/1.1\r\n${host}\r\n`],
    ['a header that is not one', 400, `GET / HTTP/1.1\r\n${host}no header\r\n\r\n`],
    ['an invalid host', 400, 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['no host', 400, 'GET / HTTP/1.1\r\n\r\n'],
    ['another version of HTTP', 400, `GET / HTTP/9.1\r\n${host}\r\n`],
    ['an unknown coding', 400, `POST / HTTP/1.1\r\n${host}Transfer-Encoding: x\r\n\r\n`],
    ['an address that is too long', 414, `GET /${long} HTTP/1.1\r\n${host}\r\n`],
    ['a header that is too large', 431, `GET / HTTP/1.1\r\n${host}X: ${long}\r\n\r\n`],
    ['TRACE', 404, `TRACE / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
    [
      'a path of the error pages',
      404,
      `GET /.nginx/internal HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    ],
  ])(
    'rejects what it cannot pass on with the error of the API: %s',
    async (_what, status, text) => {
      const response = await sendRaw(text);
      expect(response.status).toBe(status);
      await expectServiceError(response);
    },
  );

  it.each([SERVER_NAME, 'other.example.com'])(
    'rejects a request without TLS with the error of the API: %s',
    async (host) => {
      const { status, headers, text } = await call(nginx.port, '/', { headers: { host } });
      expect(status).toBe(400);
      await expectServiceError({ status, headers, body: Buffer.from(text) });
    },
  );

  it.each([
    ['404', '/nothing-here', 'GET', {}, undefined],
    ['405', '/mcp', 'GET', {}, undefined],
    ['413', '/mcp', 'POST', { 'content-type': 'application/json' }, 'x'.repeat(40_000)],
    [
      '431',
      '/health/live',
      'GET',
      { a: 'x'.repeat(7_000), b: 'x'.repeat(7_000), c: 'x'.repeat(7_000) },
      undefined,
    ],
  ])(
    'passes an error of the service through unchanged: %s',
    async (status, path, method, headers, body) => {
      const direct = await service.send(method, path, undefined, headers, body);
      const proxied = await send(path, { method, headers, ...(body !== undefined && { body }) });
      expect([String(direct.status), String(proxied.status)]).toEqual([status, status]);
      expect(proxied.body.toString()).toBe(direct.text);
      expect(withoutFraming(proxied.headers)).toEqual(withoutFraming(direct.headers));
      expect(proxied.headers['service-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(proxied.headers).not.toHaveProperty('retry-after');
    },
  );

  it('serves one host name only', async () => {
    expect(await sendWithHost(SERVER_NAME, SERVER_NAME)).toBe('HTTP/1.1 200 OK');
    expect(await sendWithHost(SERVER_NAME, 'elsewhere.test')).toBe('');
    await expect(sendWithHost('elsewhere.test', SERVER_NAME)).rejects.toThrow('unrecognized name');
  });

  it('limits the requests of an address and responds with the API’s error', async () => {
    await eventually(async () => {
      const responses = await Promise.all(
        Array.from({ length: FLOOD }, () => send('/health/live')),
      );
      const limited = responses.find(({ status }) => status === 429);
      expect(limited?.headers['retry-after']).toBe('1');
      await expectServiceError(limited!);
    });
  });

  it('responds with the API’s error when no instance is available', async () => {
    const { headers: ofService } = await service.send('GET', '/nothing-here', undefined);
    await stopService();
    await eventually(async () => {
      const { status, headers, body } = await send(LIST);
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(withoutFraming(headers)).toEqual(withoutFraming(ofService));
      expect(JSON.parse(body.toString())).toEqual(
        errorEnvelope('unavailable', errorMessage('unavailable')),
      );
    });
  });
});
