import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module, Param, Post } from '@nestjs/common';
import { createFastifyAdapter, HTTP_LIMITS } from '../../../src/standalone/fastify-adapter.js';
import { Endpoint, RequestSignal, ResponseDto, Shown } from '../../../src/index.js';
import { AppError } from '../../../src/kernel/app-error.js';
import { JsonLogger } from '../../../src/observability/json-logger.js';
import { insert, smallWorld } from '../../builders/index.js';
import { beforeDeadline, eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { TestService } from '../../setup/test-service.js';
import {
  expectContract,
  expectContractHeaders,
  expectError,
  header,
  RawClient,
  type RawResponse,
} from './raw-client.js';

/** Occurs in the messages of thrown errors, and must never be sent or logged. */
const SECRET = 'SECRET-VIN-1HGCM82633A004352';
/** The deadline of the service that is called about it; the others use the default. */
const SHORT_DEADLINE_MS = 1_000;

/**
 * Errors and results of a handler that are hard to respond to, and the response: status, code and
 * Retry-After.
 */
const THROWN: Readonly<Record<string, readonly [() => unknown, number, string, string?]>> = {
  'an error': [() => new Error(SECRET), 500, 'internal'],
  undefined: [() => undefined, 500, 'internal'],
  'a string': [() => SECRET, 500, 'internal'],
  'what looks like HTTP': [() => ({ statusCode: 418, message: SECRET }), 500, 'internal'],
  'line breaks': [() => new Error(`\r\nSet-Cookie: ${SECRET}\r\n\r\n`), 500, 'internal'],
  'a scope': [() => new AppError('insufficient_scope'), 403, 'insufficient_scope'],
  'a full service': [() => unavailable(2), 503, 'unavailable', '2'],
  'an unknown wait': [() => unavailable(NaN), 503, 'unavailable'],
  'no verification': [
    () => new AppError('auth_unverifiable', { retryAfterSeconds: 2 }),
    503,
    'auth_unverifiable',
  ],
  'a wait of 12 s': [() => rateLimited(12), 429, 'rate_limited', '12'],
  'no wait': [() => rateLimited(0), 429, 'rate_limited', '1'],
  'a negative wait': [() => rateLimited(-3), 429, 'rate_limited', '1'],
  'a wait of 1.2 s': [() => rateLimited(1.2), 429, 'rate_limited', '2'],
  'an endless wait': [() => rateLimited(Infinity), 429, 'rate_limited', '1'],
  'a wrong wait': [() => rateLimited(NaN), 429, 'rate_limited', '1'],
};
const unavailable = (retryAfterSeconds: number): AppError =>
  new AppError('unavailable', { retryAfterSeconds, cause: new Error(SECRET) });
const rateLimited = (retryAfterSeconds: number): AppError =>
  new AppError('rate_limited', { retryAfterSeconds });

@ResponseDto('What an odd endpoint returns.')
class Odd {
  @Shown('Something.')
  readonly data!: string;
}
const odd = {
  flag: 'odd',
  scope: 'offers:read',
  rateClass: 'read',
  response: Odd,
  summary: 'Odd',
} as const;
/** The calls that the handlers recorded, to see what happened after a response. */
const seen = { begun: [] as string[], ended: [] as string[], finished: [] as string[] };

/** The functions that let the held requests go on. */
const held: (() => void)[] = [];

@Controller('odd')
class OddController {
  @Get('wait/:ms')
  @Endpoint(odd)
  async wait(@Param('ms') ms: string, @RequestSignal() signal: AbortSignal): Promise<Odd> {
    seen.begun.push(ms);
    signal.addEventListener('abort', () => seen.ended.push(ms));
    await sleep(Number(ms), undefined, { ref: false });
    seen.finished.push(ms);
    return { data: ms };
  }

  @Get('held')
  @Endpoint(odd)
  async hold(): Promise<Odd> {
    await new Promise<void>((resolve) => held.push(resolve));
    return { data: 'held' };
  }

  @Post('body')
  @Endpoint(odd)
  read(): Odd {
    return { data: 'read' };
  }

  @Get('late-failure')
  @Endpoint(odd)
  async failLate(): Promise<never> {
    seen.begun.push('late-failure');
    await sleep(SHORT_DEADLINE_MS + 150);
    seen.finished.push('late-failure');
    throw new Error(SECRET);
  }

  @Get('throw/:what')
  @Endpoint(odd)
  fail(@Param('what') what: string): never {
    throw THROWN[what]![0]();
  }
}
@Module({ controllers: [OddController] })
class OddModule {}

const world = smallWorld();

async function startOddService(deadlineMs = 8_000): Promise<TestService> {
  const service = await TestService.start({
    env: { REQUEST_DEADLINE_MS: String(deadlineMs), ROLLOUT_ODD: 'on' },
    hostOptions: { imports: [OddModule] },
  });
  await insert(service.database, world.records);
  // The first read opens connections.
  await service.get(LIST, world.session);
  return service;
}

/** A request line with a Host, and the given rest. */
const send = (method: string, path: string, ...lines: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
const COOKIE = `Cookie: __Host-session=${world.session.cookie}`;
const get = (path: string, ...lines: string[]): string => send('GET', path, COOKIE, ...lines);
const signedOut = (path: string): string => send('GET', path);
const GOOD = get(LIST);

type Case = readonly [what: string, bytes: string | Buffer, status: number, code?: string];

/** Requests that HTTP allows: each gets a response, and the connection serves the next one. */
const WELL_FORMED: readonly Case[] = [
  ['the list with a query of arbitrary characters', get(`${LIST}?a=%FF&b=%00&%zz=&=`), 200],
  ['an absolute target', get(`http://example.test${LIST}`), 200],
  ['an absolute target without a path', get('http://example.test'), 404, 'not_found'],
  ['a Range', get(LIST, 'Range: bytes=0-1'), 200],
  ['a request of another origin', get(LIST, 'Origin: https://evil.test'), 200],
  ['an upgrade to a WebSocket', get(LIST, 'Connection: Upgrade', 'Upgrade: websocket'), 200],
  ['bytes beyond ASCII in a header', get(LIST, 'X-Name: \xff\xfe'), 200],
  [
    'a body that is not JSON',
    `${get(LIST, 'Content-Type: application/json', 'Content-Length: 4')}{"a"`,
    200,
  ],
  [
    'a chunked body of no type',
    `${get(LIST, 'Content-Type: ;;', 'Transfer-Encoding: chunked')}2\r\nhi\r\n0\r\n\r\n`,
    200,
  ],
  ['a huge body', get(LIST, 'Content-Length: 1000000') + 'x'.repeat(1_000_000), 200],
  ['an id of 15,000 letters', signedOut(`${LIST}/${'a'.repeat(15_000)}`), 401, 'unauthenticated'],
  ...['%zz%2', '%0d%0aSet-Cookie:%20a=b', '%C0%AF'].map((id): Case => [
    `${id} as an id`,
    get(`${LIST}/${id}`),
    404,
    'not_found',
  ]),
  ...[`/${LIST}`, '/api/v1/x/../deal-sets', '/nowhere/%FF', '*', `ftp://a${LIST}`, '/nowhere'].map(
    (path): Case => [`the path ${path}`, get(path), 404, 'not_found'],
  ),
  ...['TRACE', 'PROPFIND', 'M-SEARCH'].map((method): Case => [
    method,
    send(method, LIST, COOKIE),
    404,
    'not_found',
  ]),
  ...['application/json', ';;'].map((type): Case => {
    const head = send('POST', LIST, COOKIE, `Content-Type: ${type}`, 'Content-Length: 1');
    return [`POST with a broken body of type ${type}`, `${head}{`, 404, 'not_found'];
  }),
  // The server rejects these, but reads them completely.
  ['a request without a Host', `GET ${LIST} HTTP/1.1\r\n\r\n`, 400, 'invalid_request'],
  ['an empty Host', `GET ${LIST} HTTP/1.1\r\nHost:\r\n\r\n`, 400, 'invalid_request'],
  ['an unknown expectation', get(LIST, 'Expect: a-pony'), 417, 'invalid_request'],
];

const DOCS = '/api/v1/docs';
const DOCS_FILE = `${DOCS}/swagger-ui.css`;
const LONG_AGO = 'Thu, 01 Jan 1970 00:00:00 GMT';
const NOW = new Date().toUTCString();

/** Requests for the static files of the API description that succeed. */
const DOCS_FILES = [
  { what: 'a plain request', status: 200, lines: [] },
  { what: 'If-None-Match: *', status: 200, lines: ['If-None-Match: *'] },
  { what: 'If-None-Match with a tag', status: 200, lines: ['If-None-Match: W/"2d72a-1"'] },
  { what: 'If-Modified-Since', status: 200, lines: [`If-Modified-Since: ${NOW}`] },
  { what: 'If-Match: *', status: 200, lines: ['If-Match: *'] },
  { what: 'a satisfiable Range', status: 206, lines: ['Range: bytes=0-9'] },
];

/** Requests for the same files that are rejected. */
const DOCS_REJECTED: readonly Case[] = [
  ['If-Match', send('GET', DOCS_FILE, 'If-Match: "x"'), 412],
  ['If-Unmodified-Since', send('GET', DOCS_FILE, `If-Unmodified-Since: ${LONG_AGO}`), 412],
  ['an unsatisfiable Range', send('GET', DOCS_FILE, 'Range: bytes=99999999-'), 416],
  ...[
    '//x',
    '//swagger-ui.css',
    '/./swagger-ui.css',
    '/../docs/swagger-ui.css',
    '/..%2f..%2fpackage.json',
    '/x/..%2fswagger-ui.css',
    '/..%5cpackage.json',
    '/%00',
    '/%FF',
    '/nothing.css',
    '/swagger-ui.css/',
    `/${'a'.repeat(5_000)}`,
  ].map((path): Case => [
    `the path ${path.slice(0, 30)}`,
    send('GET', DOCS + path),
    404,
    'not_found',
  ]),
];

/** Requests that are rejected before routing, and the status before the connection closes. */
const REJECTED: readonly Case[] = [
  ['bytes that are not HTTP', 'hello there\r\n\r\n', 400],
  ['a TLS ClientHello', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['an unknown method', send('FETCH', LIST), 400],
  ['a bare CR in a header', get(LIST, 'X: a\rSet-Cookie: b=c'), 400],
  ['a header without a colon', get(LIST, 'nonsense'), 400],
  ['a Content-Length that is not a number', get(LIST, 'Content-Length: ten'), 400],
  [
    'Content-Length with Transfer-Encoding',
    send('POST', LIST, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    400,
  ],
  ['headers of 20 kB', get(LIST, `X: ${'a'.repeat(20_000)}`), 431],
  ['a query of 20 kB', get(`${LIST}?a=${'a'.repeat(20_000)}`), 431],
  ['CONNECT', send('CONNECT', 'example.test:443'), 404, 'not_found'],
];

const HELD = '/odd/held';
const postChunked = (path: string): string =>
  send('POST', path, COOKIE, 'Content-Type: application/json', 'Transfer-Encoding: chunked');

/**
 * A request in progress with something invalid behind it, and the statuses of the only responses.
 * Each piece is sent when the server has met the error of the one before.
 */
const INVALID_BEHIND: readonly {
  readonly what: string;
  readonly pieces: readonly string[];
  readonly statuses: readonly number[];
}[] = [
  { what: 'garbage', pieces: [get(HELD) + '{"a":'], statuses: [200] },
  {
    what: 'garbage in pieces',
    pieces: [get(HELD) + '{"a":', '1}\r\n', GOOD],
    statuses: [200],
  },
  {
    what: 'garbage after Connection: close',
    pieces: [get(HELD, 'Connection: close') + '{"a":'],
    statuses: [200],
  },
  {
    what: 'a valid request after Connection: close',
    pieces: [get(HELD, 'Connection: close') + GOOD],
    statuses: [200],
  },
  {
    what: 'garbage behind a second request',
    pieces: [get(HELD) + GOOD + 'hello\r\n\r\n'],
    statuses: [200, 200],
  },
  {
    what: 'garbage behind a rejected request',
    pieces: [get(HELD) + get('/nowhere') + '\0'],
    statuses: [200, 404],
  },
  {
    what: 'garbage behind an unknown expectation',
    pieces: [get(HELD) + get(LIST, 'Expect: x') + '\0'],
    statuses: [200, 417],
  },
  {
    what: 'headers of 20 kB',
    pieces: [get(HELD) + get(LIST, `X: ${'a'.repeat(20_000)}`)],
    statuses: [200],
  },
  {
    what: 'a broken body that is ignored',
    pieces: [get(HELD, 'Transfer-Encoding: chunked') + 'ZZ\r\n'],
    statuses: [200],
  },
  {
    what: 'a request with a broken body',
    pieces: [get(HELD) + postChunked('/odd/body') + 'ZZ\r\n'],
    statuses: [200, 400],
  },
];

const named = (cases: readonly Case[]) =>
  cases.map(([what, bytes, status, code]) => ({ what, bytes, status, code }));

describe('the HTTP server', () => {
  let service: TestService;
  const clients: RawClient[] = [];
  beforeAll(async () => {
    service = await startOddService();
  });
  afterEach(() => clients.splice(0).forEach(({ socket }) => socket.destroy()));
  afterAll(() => service.stop());

  async function open(): Promise<RawClient> {
    const client = await RawClient.open(service.port);
    clients.push(client);
    return client;
  }

  const server = (): Server => service.app.getHttpServer() as Server;

  async function releaseHeld(): Promise<void> {
    await eventually(() => expect(held).toHaveLength(1));
    held.pop()!();
  }

  async function request(path: string, ...lines: string[]): Promise<RawResponse> {
    const client = await open();
    client.send(get(path, ...lines));
    return (await client.responses('GET'))[0]!;
  }

  type Line = Readonly<Record<string, unknown>>;
  const requestLines = (): Line[] =>
    service.logLines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');

  it.each(named(WELL_FORMED))(
    'responds to $what, and serves the next request',
    async ({ bytes, status, code }) => {
      const client = await open();
      client.send(bytes);
      const [first] = await client.responses('GET');
      expect(first!.status).toBe(status);
      if (code === undefined) expectContract(first!);
      else expectError(first!, status, code);
      client.send(GOOD);
      const [, second] = await client.responses('GET', 'GET');
      expect(second!.status).toBe(200);
    },
  );

  it.each(named(REJECTED))(
    'rejects $what once, and closes the connection',
    async ({ bytes, status, code = 'invalid_request' }) => {
      const client = await open();
      client.send(bytes);
      client.send(GOOD);
      await client.closed();
      const [response] = await client.responses('GET');
      expectError(response!, status, code);
      expect(header(response!, 'connection')).toBe('close');
    },
  );

  it.each(INVALID_BEHIND)(
    'sends one response for each request, none for what follows, and closes the connection: $what',
    async ({ pieces, statuses }) => {
      const client = await open();
      for (const piece of pieces) {
        const met = once(server(), 'clientError');
        client.send(piece);
        await met;
      }
      await releaseHeld();
      await client.closed();
      const responses = await client.responses(...statuses.map(() => 'GET'));
      expect(responses.map(({ status }) => status)).toEqual(statuses);
      for (const response of responses) expectContract(response);
      // An error response is complete before the server meets what follows.
      if (statuses.at(-1) === 200) expect(header(responses.at(-1)!, 'connection')).toBe('close');
    },
  );

  const ENDING = ['GET', 'DELETE', 'OPTIONS', 'POST', 'PUT'].flatMap((method) =>
    [LIST, '/nowhere', '/odd/body'].flatMap((path) => [
      { method, path, when: 'at once', pauseMs: undefined },
      { method, path, when: 'in the next packet', pauseMs: 0 },
      { method, path, when: 'after 50 ms', pauseMs: 50 },
    ]),
  );
  it.each(ENDING)(
    'sends one response to $method $path that ends its connection, although more bytes follow $when',
    async ({ method, path, pauseMs }) => {
      const client = await open();
      const [request, rest] = [send(method, path, 'Connection: close'), '{"a":1}'];
      if (pauseMs === undefined) {
        client.send(request + rest);
      } else {
        client.send(request);
        await sleep(pauseMs);
        client.send(rest);
      }
      await client.closed();
      expect(await client.responses(method)).toHaveLength(1);
    },
  );

  it('rejects a broken body that is read once', async () => {
    const client = await open();
    client.send(`${postChunked('/odd/body')}1\r\n{\r\nZZ\r\n`);
    await client.closed();
    expectError((await client.responses('POST'))[0]!, 400, 'invalid_request');
  });

  it('closes the connection of a request that has its response, when its body turns out broken', async () => {
    const client = await open();
    client.send(postChunked(LIST));
    expectError((await client.responses('POST'))[0]!, 404, 'not_found');
    client.send('ZZ\r\n');
    await client.closed();
    expect(await client.responses('POST')).toHaveLength(1);
  });

  it('responds to CONNECT behind a request in progress after that request', async () => {
    const client = await open();
    const met = once(server(), 'connect');
    client.send(get(HELD) + send('CONNECT', 'example.test:443'));
    await met;
    await releaseHeld();
    await client.closed();
    const [first, second] = await client.responses('GET', 'GET');
    expect(first!.status).toBe(200);
    expectError(second!, 404, 'not_found');
  });

  it('finishes a request behind which the client stops sending in the middle of the next', async () => {
    const client = await open();
    const met = once(server(), 'clientError');
    client.send(get(HELD) + GOOD.slice(0, 30));
    client.socket.end();
    await met;
    await releaseHeld();
    await client.closed();
    expect((await client.responses('GET'))[0]!.status).toBe(200);
  });

  it('sends the rejection completely to a client that goes on sending', async () => {
    const client = await open();
    client.send('hello there\r\n\r\n');
    const [response] = await client.responses('GET');
    client.send('x'.repeat(100_000));
    expectError(response!, 400, 'invalid_request');
    await client.closed();
    expect(await client.responses('GET')).toHaveLength(1);
  });

  it.each(DOCS_FILES)(
    'sends a file of the documentation with the contract’s headers, no validator and status $status for $what',
    async ({ status, lines }) => {
      const client = await open();
      client.send(send('GET', DOCS_FILE, ...lines) + send('HEAD', DOCS_FILE, ...lines));
      for (const response of await client.responses('GET', 'HEAD')) {
        expect(response.status).toBe(status);
        expectContractHeaders(response);
      }
    },
  );

  it.each(named(DOCS_REJECTED))(
    'rejects $what on the documentation’s files with $status, without an error line',
    async ({ bytes, status, code = 'invalid_request' }) => {
      const logged = service.logLines.length;
      const client = await open();
      client.send(bytes);
      const [response] = await client.responses('GET');
      expectError(response!, status, code);
      await eventually(() => expect(service.logLines.length).toBeGreaterThan(logged));
      const lines = service.logLines.slice(logged).map((line): unknown => JSON.parse(line));
      expect(lines).toEqual([expect.objectContaining({ level: 'info', status, code })]);
    },
  );

  it('responds to Expect: 100-continue with an interim and a final response', async () => {
    const client = await open();
    client.send(get(LIST, 'Expect: 100-continue'));
    await eventually(() => expect(client.received).toContain('{"data":['));
    expect(client.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it('responds to pipelined requests in order, once each, and to HEAD as to GET without the body', async () => {
    const client = await open();
    client.send(get('/odd/wait/80') + GOOD + send('HEAD', LIST, COOKIE));
    client.send(send('HEAD', `${LIST}/x`) + send('HEAD', '/nowhere') + get('/odd/wait/1'));
    const methods = ['GET', 'GET', 'HEAD', 'HEAD', 'HEAD', 'GET'];
    const responses = await client.responses(...methods);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 401, 404, 200]);
    responses.forEach((response, index) => expectContract(response, methods[index]));
    const ids = responses.map((response) => header(response, 'service-request-id'));
    expect(new Set(ids).size).toBe(methods.length);
    const lengths = responses.map((response) => Number(header(response, 'content-length')));
    expect(lengths[2]).toBe(lengths[1]);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
  });

  it.each(['', 'Host:\r\n'])(
    'logs why a request without a Host is rejected: %j',
    async (header) => {
      const before = requestLines().length;
      const client = await open();
      client.send(`GET ${LIST} HTTP/1.1\r\n${header}\r\n`);
      expect((await client.responses('GET'))[0]).toMatchObject({ status: 400 });
      await eventually(() =>
        expect(requestLines()[before]).toMatchObject({ status: 400, reason: 'host_missing' }),
      );
    },
  );

  it('responds to HTTP/1.0 without a Host, and closes the connection', async () => {
    const client = await open();
    client.send(`GET ${LIST} HTTP/1.0\r\n${COOKIE}\r\n\r\n`);
    await client.closed();
    const [response] = await client.responses('GET');
    expect(response!.status).toBe(200);
    expectContract(response!);
  });

  it('responds with 400 when a client stops sending in the middle of a request', async () => {
    const client = await open();
    client.send(GOOD.slice(0, 30));
    client.socket.end();
    await client.closed();
    expectError((await client.responses('GET'))[0]!, 400, 'invalid_request');
  });

  it('never includes anything of a request in a response, or anything but a valid X-Request-Id in the log', async () => {
    const marker = 'MARKER7319';
    const client = await open();
    const headers = ['X-A', `X-${marker}`, 'Service-Request-Id', 'traceparent'];
    client.send(
      get(
        `/${marker}/%FF?${marker}=${marker}`,
        `Origin: http://${marker}`,
        ...headers.map((name) => `${name}: ${marker}`),
        `X-Request-Id: ${marker} with a blank`,
      ),
    );
    await client.responses('GET');
    client.send(`GET /${marker} ${marker}\r\n\r\n`);
    await client.responses('GET', 'GET');
    await client.closed();
    expect(client.received).not.toContain(marker);
    expect(service.logLines.join('')).not.toContain(marker);
  });

  describe('with short limits for receiving a request', () => {
    const limits = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
    const adapter = createFastifyAdapter(new JsonLogger('info', { write: () => undefined }), {
      ...HTTP_LIMITS,
      ...limits,
    });
    const fastify = adapter.getInstance();
    let release: (() => void) | undefined;
    beforeAll(async () => {
      fastify.get('/now', () => ({ data: 'now' }));
      fastify.post('/now', () => ({ data: 'now' }));
      fastify.get(
        '/later',
        () => new Promise((resolve) => (release = () => resolve({ data: '' }))),
      );
      await fastify.listen({ host: '127.0.0.1', port: 0 });
    });
    afterAll(() => fastify.close());

    async function openShort(): Promise<RawClient> {
      const client = await RawClient.open((fastify.server.address() as AddressInfo).port);
      clients.push(client);
      return client;
    }

    it('rejects headers that take too long', async () => {
      const client = await openShort();
      client.send(GOOD.slice(0, 20));
      await client.closed();
      expectError((await client.responses('GET'))[0]!, 408, 'invalid_request');
    });

    it('closes the connection of a request that has its response, when its body takes too long', async () => {
      const client = await openShort();
      client.send(get('/now', 'Content-Length: 10'));
      await client.closed();
      expect((await client.responses('GET'))[0]!.status).toBe(200);
    });

    it('rejects a body that is read and takes too long, once', async () => {
      const client = await openShort();
      client.send(send('POST', '/now', 'Content-Type: application/json', 'Content-Length: 10'));
      await client.closed();
      expect((await client.responses('POST'))[0]!.status).toBe(408);
    });

    it('finishes a request in progress before headers that take too long', async () => {
      const client = await openShort();
      client.send(get('/later') + GOOD.slice(0, 20));
      await once(fastify.server, 'clientError');
      expect(client.received).toBe('');
      release!();
      await client.closed();
      expect((await client.responses('GET'))[0]!.status).toBe(200);
    });
  });

  it('ends the request early when the client disconnects', async () => {
    await beforeDeadline(async () => {
      seen.begun.length = seen.ended.length = 0;
      const client = await open();
      client.send(get('/odd/wait/60000'));
      await eventually(() => expect(seen.begun).toContain('60000'));
      client.socket.destroy();
      await eventually(() => expect(seen.ended).toContain('60000'));
    });
    await eventually(() => {
      const line = requestLines().at(-1);
      expect(line).toMatchObject({ isAborted: true, route: '/odd/wait/:ms', method: 'GET' });
      expect(line).not.toHaveProperty('status');
    });
  });

  it.each(Object.entries(THROWN))(
    'responds to what a handler throws with the error envelope: %s',
    async (what, [, status, code, retryAfter]) => {
      const response = await request(`/odd/throw/${encodeURIComponent(what)}`);
      expectError(response, status, code);
      expect(header(response, 'retry-after')).toBe(retryAfter);
      expect(response.body).not.toContain(SECRET);
    },
  );

  it('logs errors by class and place, never by message', () => {
    expect(service.logLines.join('')).not.toContain(SECRET);
    expect(requestLines()).toContainEqual(
      expect.objectContaining({
        code: 'internal',
        level: 'error',
        error: 'Error',
        at: expect.arrayContaining([expect.stringContaining('entrance.spec')]) as unknown,
      }),
    );
  });

  it('writes one line per response, with the id that was sent, the pattern of the route and the trace id', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const response = await request('/odd/wait/3', `traceparent: 00-${traceId}-00f067aa0ba902b7-01`);
    const id = header(response, 'service-request-id');
    const own = (): Line[] => requestLines().filter((line) => line['id'] === id);
    await eventually(() => expect(own()).toHaveLength(1));
    expect(own()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^2\d{3}-.*Z$/) as string,
        id,
        route: '/odd/wait/:ms',
        method: 'GET',
        status: 200,
        principal: 'session',
        durationMs: expect.any(Number) as number,
        trace_id: traceId,
        msg: 'request',
      },
    ]);
  });
});

describe('the deadline', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startOddService(SHORT_DEADLINE_MS);
  });
  afterAll(() => service.stop());

  it.each([String(SHORT_DEADLINE_MS + 100), 'late-failure'])(
    'responds with unavailable, drops a late result, and serves the next request: %s',
    async (late) => {
      const path = late === 'late-failure' ? '/odd/late-failure' : `/odd/wait/${late}`;
      let logged: number;
      let client: RawClient | undefined;
      let first: RawResponse | undefined;
      do {
        // On a busy machine, a sign-in may reach the deadline before the handler is called.
        client?.socket.destroy();
        logged = service.logLines.length;
        client = await RawClient.open(service.port);
        const before = performance.now();
        client.send(get(path));
        [first] = await client.responses('GET');
        expect(performance.now() - before).toBeGreaterThan(SHORT_DEADLINE_MS - 20);
      } while (!seen.begun.includes(late));
      expectError(first!, 503, 'unavailable');
      expect(header(first!, 'retry-after')).toBeUndefined();
      await eventually(() => expect(seen.finished).toContain(late));
      await sleep(20);
      const lines = service.logLines.slice(logged).map((line): unknown => JSON.parse(line));
      expect(lines).toEqual([
        expect.objectContaining({ level: 'warn', status: 503, error: 'TimeLimitError' }),
      ]);
      const methods = ['GET'];
      await eventually(async () => {
        methods.push('GET');
        client.send(get('/odd/wait/1'));
        expect((await client.responses(...methods)).at(-1)!.status).toBe(200);
      });
      client.socket.destroy();
    },
  );
});

describe('a stop', () => {
  it('finishes the requests in progress, and waits for no other client beyond the deadline', async () => {
    const service = await startOddService();
    const open = (): Promise<RawClient> => RawClient.open(service.port);
    const clients = await Promise.all([open(), open(), open(), open()]);
    const [accepted, idle, , half] = clients;
    idle.send(GOOD);
    await idle.responses('GET');
    half.send(GOOD.slice(0, 25));
    accepted.send(get(HELD));
    await eventually(() => expect(held).toHaveLength(1));
    const stopped = service.stop();
    await eventually(() => expect(service.logLines.join('')).toContain('no new connections'));
    await eventually(() => expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' }));
    held.pop()!();
    const [last] = await accepted.responses('GET');
    expect(last!.status).toBe(200);
    expect(header(last!, 'connection')).toBe('close');
    await stopped;
    await Promise.all(clients.map((client) => client.closed()));
  });
});
