import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Controller, Get, Logger, Module, type LoggerService } from '@nestjs/common';
import express, { type ErrorRequestHandler } from 'express';
import fastify from 'fastify';
import {
  createRequestListener,
  loadSettings,
  Public,
  type HostedService,
} from '../../src/index.js';
import { load, smallWorld } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

const world = smallWorld();
const LIST = '/api/v1/deal-sets';

@Controller('acme/files')
class FilesController {
  @Get(':name')
  @Public()
  file(): string {
    return 'a file';
  }
}
@Module({ controllers: [FilesController] })
class FilesModule {}

/** The host's own logger, with what Nest wrote through it. */
class HostLogger implements LoggerService {
  readonly lines: unknown[] = [];
  log = (message: unknown): void => void this.lines.push(message);
  error = this.log;
  warn = this.log;
}

let database: TestDatabase;
let hosted: HostedService;
const hostLogger = new HostLogger();
const logLines: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  Logger.overrideLogger(hostLogger);
  const settings = loadSettings({ DATABASE_URL: database.url });
  hosted = await createRequestListener(settings, {
    imports: [FilesModule],
    logSink: { write: (line) => void logLines.push(line) },
  });
});
afterAll(async () => {
  Logger.overrideLogger(false);
  await hosted.close();
  await database.drop();
});

async function answersOf(url: string): Promise<void> {
  const cookie = `__Host-session=${world.session.cookie}`;
  const at = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init);
  await eventually(async () => {
    const list = await at(LIST, { headers: { cookie } });
    expect(list.status).toBe(200);
    expect(list.headers.get('cache-control')).toBe('private, no-store');
    expect(list.headers.get('service-more')).toBe('false');
    expect(await list.text()).toContain(world.set.id);
  });
  const refused = await at(LIST);
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer error="invalid_token"',
  ]);
  for (const path of ['/api/v1/unknown', '/health/unknown']) {
    const unknown = await at(path);
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: { code: 'not_found', message: 'There is no such resource.' } },
    ]);
  }
  expect((await at('/health/live')).status).toBe(200);
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  const head = 'Host: shop.example\r\nConnection: close\r\n\r\n';
  client.end(`GET http://shop.example/api/v1/unknown HTTP/1.1\r\n${head}`);
  expect(await text(client)).toContain('"code":"not_found"');
  expect(await (await at('/acme/files/x')).text()).toBe('a file');
  for (const path of ['/', '/acme', '/acme/files/x/y', '/api/v10/x', '/healthy']) {
    expect(await (await at(path)).text()).toBe(`host ${path}`);
  }
}

/** Malformed HTTP gets the host's response, with none of the service's headers. */
async function leavesMalformedHttpToHost(server: Server): Promise<void> {
  server.on('clientError', (_error, socket) => {
    socket.end('HTTP/1.1 400 Host Says No\r\nConnection: close\r\n\r\n');
  });
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  client.end(`GET ${LIST} HTTP/9.9\r\n\r\n`);
  expect(await text(client)).toBe('HTTP/1.1 400 Host Says No\r\nConnection: close\r\n\r\n');
}

async function inHost(server: Server, work: (url: string) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await leavesMalformedHttpToHost(server);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const sendJson = (url: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"host"}',
  });

describe('createRequestListener', () => {
  it('answers its own paths in a node:http server and leaves the rest to the host', async () => {
    const server = createServer((request, response) => {
      if (!hosted.listener(request, response)) response.end(`host ${request.url}`);
    });
    await inHost(server, answersOf);
  });

  it('is a middleware of an Express host, whose routes, body parser and error page stay', async () => {
    const host = express();
    host.use(hosted.listener);
    host.use(express.json());
    host.post('/host/names', (request, response) => {
      response.send((request.body as { name: string }).name);
    });
    host.get('/host/failure', () => {
      throw new Error('a failure of the host');
    });
    host.use((request, response) => void response.send(`host ${request.url}`));
    const failed: unknown[] = [];
    host.use(((error, _request, response, _next) => {
      failed.push(error);
      response.status(500).send('the host’s error page');
    }) satisfies ErrorRequestHandler);
    await inHost(createServer(host), async (url) => {
      await answersOf(url);
      expect(await (await sendJson(`${url}/host/names`)).text()).toBe('host');
      const failure = await fetch(`${url}/host/failure`);
      expect([failure.status, await failure.text()]).toEqual([500, 'the host’s error page']);
      expect(failure.headers.get('service-api-version')).toBeNull();
      expect(failed).toHaveLength(1);
    });
  });

  it('is a hook of a Fastify host, whose routes and hooks stay', async () => {
    const host = fastify();
    const seen: string[] = [];
    host.addHook('onRequest', (request, reply, done) => {
      if (hosted.listener(request.raw, reply.raw)) reply.hijack();
      else done();
    });
    host.addHook('onResponse', (request, _reply, done) => {
      seen.push(request.url);
      done();
    });
    host.post('/host/names', (request) => (request.body as { name: string }).name);
    host.get('*', (request) => `host ${request.url}`);
    await host.listen({ port: 0, host: '127.0.0.1' });
    try {
      const url = `http://127.0.0.1:${(host.server.address() as AddressInfo).port}`;
      await answersOf(url);
      expect(await (await sendJson(`${url}/host/names`)).text()).toBe('host');
      expect(seen).toContain('/host/names');
      const { port } = host.server.address() as AddressInfo;
      const client = connect(port, '127.0.0.1');
      client.end(`GET ${LIST} HTTP/9.9\r\n\r\n`);
      const refused = await text(client);
      // Fastify's own page for it.
      expect(refused).toContain('"error":"Bad Request"');
      expect(refused.toLowerCase()).not.toContain('service-api-version');
    } finally {
      host.server.closeAllConnections();
      await host.close();
    }
  });

  it('keeps the host’s Nest logger, and writes its own lines to its own log', () => {
    hostLogger.lines.length = 0;
    new Logger('host').log('a line of the host');
    expect(hostLogger.lines).toEqual(['a line of the host']);
    expect(logLines.join('')).toContain('"msg":"request"');
    expect(logLines.join('')).not.toContain('a line of the host');
  });
});
