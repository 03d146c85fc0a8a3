import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../setup/eventually.js';
import { KNOWN_ID, SECRET, startEdgeApp, THROWN, type EdgeApp } from './edge-app.js';
import {
  expectContractAnswer,
  expectError,
  get,
  GOOD,
  header,
  LIST,
  RawClient,
  send,
  type RawAnswer,
} from './raw-http.js';

type Case = readonly [what: string, bytes: string | Buffer, status: number, code?: string];
const named = (cases: readonly Case[]) =>
  cases.map(([what, bytes, status, code]) => ({ what, bytes, status, code }));

const SIGNED_IN = 'Authorization: Bearer pretended';
const withBody = (head: string, body: string): string => head + body;

/** Requests that HTTP allows: answered, and the connection serves the next one. */
const WELL_FORMED: readonly Case[] = [
  ['the list with a query that holds anything', get(`${LIST}?a=%FF&b=%00&%zz&=&since`), 200],
  ['an absolute target', get(`http://example.test${LIST}`), 200],
  ['an absolute target without a path', get('http://example.test'), 404, 'not_found'],
  ['an If-None-Match that matches everything', get(LIST, 'If-None-Match: *'), 200],
  ['a Range', get(LIST, 'Range: bytes=0-1'), 200],
  ['a request of another origin', get(LIST, 'Origin: https://evil.test'), 200],
  ['an upgrade to a WebSocket', get(LIST, 'Connection: Upgrade', 'Upgrade: websocket'), 200],
  ['bytes beyond ASCII in a header', get(LIST, 'X-Name: \xff\xfe'), 200],
  [
    'a body that is not JSON',
    withBody(get(LIST, 'Content-Type: application/json', 'Content-Length: 4'), '{"a"'),
    200,
  ],
  [
    'a chunked body of no type',
    withBody(get(LIST, 'Content-Type: ;;', 'Transfer-Encoding: chunked'), '2\r\nhi\r\n0\r\n\r\n'),
    200,
  ],
  ['the get in upper case', get(`${LIST}/${KNOWN_ID.toUpperCase()}`, SIGNED_IN), 200],
  ['bad percent-encoding as an id, signed out', get(`${LIST}/%FF`), 401, 'unauthenticated'],
  ['an encoded slash as an id, signed out', get(`${LIST}/a%2Fb`), 401, 'unauthenticated'],
  ['an id of 15,000 characters', get(`${LIST}/${'a'.repeat(15_000)}`), 401, 'unauthenticated'],
  ...['%FF', '%', '%zz%2', '%00', 'a%2Fb', '%0d%0aSet-Cookie:%20a=b', '%C0%AF', '%ED%A0%80'].map(
    (id): Case => [`${id} as an id`, get(`${LIST}/${id}`, SIGNED_IN), 404, 'not_found'],
  ),
  ...[
    ...[`${LIST}/`, `${LIST}/${KNOWN_ID}/`, `/${LIST}`, '/API/v1/deal-sets', '/api/v1%2Fdeal-sets'],
    ...['/api/v1/x/../deal-sets', '/nowhere/%FF', '*', `ftp://a${LIST}`, '/nowhere', '/'],
  ].map((path): Case => [`the path ${path}`, get(path), 404, 'not_found']),
  ...['DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'M-SEARCH'].map((method): Case => [
    method,
    send(method, LIST),
    404,
    'not_found',
  ]),
  ...['application/json', 'x/y', ';;'].map((type): Case => {
    const head = send('POST', LIST, `Content-Type: ${type}`, 'Content-Length: 1');
    return [`POST with a broken body of type ${type}`, withBody(head, '{'), 404, 'not_found'];
  }),
];

const raw = (...lines: string[]): string => [...lines, '', ''].join('\r\n');
const FIRST = `GET ${LIST} HTTP/1.1`;

/** Requests that are refused below the routes, and what is answered before the connection closes. */
const REFUSED: readonly Case[] = [
  ['garbage', raw('hello there'), 400],
  ['a TLS ClientHello', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['an unknown method', raw(`FETCH ${LIST} HTTP/1.1`, 'Host: a'), 400],
  ['a bare CR in a header', raw(FIRST, 'Host: a', 'X: a\rSet-Cookie: b=c'), 400],
  ['a header without a colon', raw(FIRST, 'Host: a', 'nonsense'), 400],
  ['a Content-Length that is no number', raw(FIRST, 'Host: a', 'Content-Length: ten'), 400],
  [
    'Content-Length with Transfer-Encoding',
    raw(`POST ${LIST} HTTP/1.1`, 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    400,
  ],
  ['headers of 20 kB', get(LIST, `X: ${'a'.repeat(20_000)}`), 431],
  ['a query of 20 kB', get(`${LIST}?a=${'a'.repeat(20_000)}`), 431],
  ['CONNECT', raw('CONNECT example.test:443 HTTP/1.1', 'Host: a'), 404, 'not_found'],
];

/** Refused on a connection that stays good: the request was read whole. */
const REFUSED_POLITELY: readonly Case[] = [
  ['no Host', raw(FIRST), 400],
  ['an empty Host', raw(FIRST, 'Host:'), 400],
  ['an unknown expectation', get(LIST, 'Expect: a-pony'), 417],
];

let edge: EdgeApp;
beforeAll(async () => {
  edge = await startEdgeApp();
});
afterAll(() => edge.app.close());

async function ask(path: string, ...lines: string[]): Promise<RawAnswer> {
  const client = await RawClient.open(edge.port);
  client.send(get(path, ...lines));
  const [answer] = await client.answers(['GET']);
  expect(client.rest(['GET'])).toBe('');
  client.destroy();
  return answer!;
}

const until = (isTrue: () => boolean): Promise<void> =>
  eventually(() => expect(isTrue()).toBe(true));

describe('the entrance', () => {
  it.each(named(WELL_FORMED))(
    'answers $what, and serves the next request',
    async ({ bytes, status, code }) => {
      const client = await RawClient.open(edge.port);
      client.send(bytes);
      const [first] = await client.answers(['GET']);
      expect(first!.status).toBe(status);
      if (code === undefined) expectContractAnswer(first!);
      else expectError(first!, status, code);
      client.send(GOOD);
      const [, second] = await client.answers(['GET', 'GET']);
      expect(second!.status).toBe(200);
      expect(client.rest(['GET', 'GET'])).toBe('');
      client.destroy();
    },
  );

  it.each(named(REFUSED))(
    'refuses $what once, and closes',
    async ({ bytes, status, code = 'invalid_request' }) => {
      const client = await RawClient.open(edge.port);
      client.send(bytes);
      client.send(GOOD);
      const [answer] = await client.answers(['GET']);
      expectError(answer!, status, code);
      expect(header(answer!, 'connection')).toBe('close');
      await client.closed();
      expect(client.rest(['GET'])).toBe('');
    },
  );

  it.each(named(REFUSED_POLITELY))(
    'refuses $what, and serves the next request',
    async ({ bytes, status }) => {
      const client = await RawClient.open(edge.port);
      client.send(bytes);
      const [answer] = await client.answers(['GET']);
      expectError(answer!, status, 'invalid_request');
      client.send(GOOD);
      const [, second] = await client.answers(['GET', 'GET']);
      expect(second!.status).toBe(200);
      client.destroy();
    },
  );

  it('answers Expect: 100-continue with an interim and a final response', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get(LIST, 'Expect: 100-continue'));
    await client.until(() => client.received.includes('{"data":[]}'));
    expect(client.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    client.destroy();
  });

  it('answers HEAD as GET without the body', async () => {
    const client = await RawClient.open(edge.port);
    client.send(GOOD);
    client.send(send('HEAD', LIST));
    client.send(send('HEAD', `${LIST}/x`));
    client.send(send('HEAD', '/nowhere'));
    client.send(GOOD);
    const methods = ['GET', 'HEAD', 'HEAD', 'HEAD', 'GET'];
    const answers = await client.answers(methods);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404, 200]);
    answers.forEach((answer, index) => expectContractAnswer(answer, methods[index]));
    const lengths = answers.map((answer) => Number(header(answer, 'content-length')));
    expect(lengths[1]).toBe(lengths[0]);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
    client.destroy();
  });

  it('speaks HTTP/1.0 without a Host and closes', async () => {
    const client = await RawClient.open(edge.port);
    client.send(`GET ${LIST} HTTP/1.0\r\n\r\n`);
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    expectContractAnswer(answer!);
    await client.closed();
  });

  it('answers pipelined requests in their order, one each', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/80') + GOOD + get('/nowhere') + get('/misbehave/wait/1'));
    const methods = ['GET', 'GET', 'GET', 'GET'];
    const answers = await client.answers(methods);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200]);
    const ids = answers.map((answer) => header(answer, 'service-request-id'));
    expect(new Set(ids).size).toBe(4);
    client.destroy();
  });

  it('lets a client leave in the middle of a request', async () => {
    const client = await RawClient.open(edge.port);
    client.send(GOOD.slice(0, 30));
    client.socket.end();
    const [answer] = await client.answers(['GET']);
    expectError(answer!, 400, 'invalid_request');
    await client.closed();
  });

  it('answers a GET that announces a huge body at once, and reads on after the body', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get(LIST, 'Content-Length: 1000000').trimEnd() + '\r\n\r\n');
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    client.send('x'.repeat(1_000_000));
    client.send(GOOD);
    const [, second] = await client.answers(['GET', 'GET']);
    expect(second!.status).toBe(200);
    expect(client.rest(['GET', 'GET'])).toBe('');
    client.destroy();
  });

  it('never puts anything of a request into an answer', async () => {
    const marker = 'MARKER7319';
    const client = await RawClient.open(edge.port);
    client.send(
      send(
        'GET',
        `/${marker}/%FF?${marker}=${marker}`,
        `X-${marker}: ${marker}`,
        `Origin: http://${marker}`,
        `Service-Request-Id: ${marker}`,
        `X-Request-Id: ${marker}`,
        `traceparent: ${marker}`,
      ),
    );
    client.send(`GET /${marker} ${marker}\r\n\r\n`);
    await client.answers(['GET', 'GET']);
    await client.closed();
    expect(client.received).not.toContain(marker);
    expect(JSON.stringify(edge.lines())).not.toContain(marker);
  });

  it('refuses headers that take too long', async () => {
    const limits = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
    const slow = await startEdgeApp({}, limits);
    const client = await RawClient.open(slow.port);
    client.send(GOOD.slice(0, 20));
    const [answer] = await client.answers(['GET']);
    expectError(answer!, 408, 'invalid_request');
    await client.closed();
    expect(client.rest(['GET'])).toBe('');
    await slow.app.close();
  });
});

describe('the deadline', () => {
  it('answers unavailable when a handler hangs', async () => {
    const before = Date.now();
    const answer = await ask('/misbehave/hang');
    expectError(answer, 503, 'unavailable');
    expect(header(answer, 'retry-after')).toBeUndefined();
    const took = Date.now() - before;
    expect(took).toBeGreaterThanOrEqual(290);
    expect(took).toBeLessThan(5_000);
  });

  it('drops what a handler answers later, and keeps the connection good', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/500'));
    const [first] = await client.answers(['GET']);
    expectError(first!, 503, 'unavailable');
    await until(() => edge.seen.finished.includes('500'));
    client.send(get('/misbehave/wait/1'));
    const [, second] = await client.answers(['GET', 'GET']);
    expect(second!.status).toBe(200);
    expect(client.rest(['GET', 'GET'])).toBe('');
    client.destroy();
  });

  it('drops what a handler throws later, without a word in the log', async () => {
    const logged = edge.lines().length;
    expectError(await ask('/misbehave/late-failure'), 503, 'unavailable');
    await until(() => edge.seen.finished.includes('late-failure'));
    await sleep(20);
    const lines = edge.lines().slice(logged);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        status: 503,
        code: 'unavailable',
        error: 'TimeLimitError',
      }),
    ]);
  });

  it('ends early when the client goes away', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/250'));
    await sleep(50);
    client.destroy();
    const before = Date.now();
    await until(() => edge.seen.ended.includes('250'));
    expect(Date.now() - before).toBeLessThan(200);
    await until(() => edge.lines().some((line) => line['isAborted'] === true));
    const line = edge.lines().findLast(({ isAborted }) => isAborted === true);
    expect(line).toMatchObject({ route: '/misbehave/wait/:milliseconds', method: 'GET' });
    expect(line).not.toHaveProperty('status');
  });
});

describe('the error answer', () => {
  it.each(Object.keys(THROWN))('is the envelope for each thrown value: %s', async (kind) => {
    const answer = await ask(`/misbehave/throw/${kind}`);
    if (kind === 'wrong-wait') {
      expectError(answer, 429, 'rate_limited');
      expect(header(answer, 'retry-after')).toBe('1');
    } else {
      expectError(answer, 500, 'internal');
    }
    expect(JSON.stringify(answer)).not.toContain(SECRET);
  });

  it('names the scope on 403', async () => {
    expectError(await ask('/misbehave/scope'), 403, 'insufficient_scope');
  });

  it.each([
    ['12', '12'],
    ['0', '1'],
    ['-3', '1'],
    ['1.2', '2'],
    ['Infinity', '1'],
  ])('sends whole seconds to wait on 429: %s is %s', async (given, sent) => {
    const answer = await ask(`/misbehave/rate/${given}`);
    expectError(answer, 429, 'rate_limited');
    expect(header(answer, 'retry-after')).toBe(sent);
  });

  it('sends the wait on unavailable when it is known, and never on auth_unverifiable', async () => {
    const full = await ask('/misbehave/full');
    expectError(full, 503, 'unavailable');
    expect(header(full, 'retry-after')).toBe('2');
    const unverifiable = await ask('/misbehave/unverifiable');
    expectError(unverifiable, 503, 'auth_unverifiable');
    expect(header(unverifiable, 'retry-after')).toBeUndefined();
  });

  it('says in the log what went wrong by class and place, never by message', () => {
    const lines = edge.lines();
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    expect(lines).toContainEqual(
      expect.objectContaining({
        code: 'internal',
        level: 'error',
        error: 'Error',
        at: expect.arrayContaining([expect.stringContaining('edge-app')]) as unknown,
      }),
    );
  });
});

describe('the request line', () => {
  it('is written once an answer, with the id that was sent and the pattern of the route', async () => {
    const answer = await ask('/misbehave/wait/3');
    expectContractAnswer(answer);
    const id = header(answer, 'service-request-id');
    await until(() => edge.lines().some((line) => line['id'] === id));
    expect(edge.lines().filter((line) => line['id'] === id)).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^2\d{3}-.*Z$/) as string,
        id,
        route: '/misbehave/wait/:milliseconds',
        method: 'GET',
        status: 200,
        durationMs: expect.any(Number) as number,
        msg: 'request',
      },
    ]);
  });

  it.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '4bf92f3577b34da6a3ce929d0e0e4736'],
    [
      'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
      '4bf92f3577b34da6a3ce929d0e0e4736',
    ],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', undefined],
    ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', undefined],
    ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', undefined],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', undefined],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', undefined],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736', undefined],
  ])('takes the trace id of traceparent %s', async (traceparent, traceId) => {
    const client = await RawClient.open(edge.port);
    client.send(get('/nowhere', `traceparent: ${traceparent}`));
    const [answer] = await client.answers(['GET']);
    client.destroy();
    const id = header(answer!, 'service-request-id');
    await until(() => edge.lines().some((line) => line['id'] === id));
    expect(edge.lines().find((line) => line['id'] === id)?.['traceId']).toBe(traceId);
  });
});

describe('a stop', () => {
  let edge: EdgeApp;
  beforeEach(async () => {
    edge = await startEdgeApp({ REQUEST_DEADLINE_MS: '1000' });
  });
  afterEach(() => edge.app.close());

  it('finishes what was accepted, with Connection: close, and listens no more', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/600'));
    await sleep(50);
    const stopped = edge.app.close();
    await sleep(50);
    await expect(RawClient.open(edge.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    expect(header(answer!, 'connection')).toBe('close');
    await client.closed();
    await stopped;
  });

  it('answers the request that a kept connection brings just after the stop began', async () => {
    const client = await RawClient.open(edge.port);
    client.send(GOOD);
    await client.answers(['GET']);
    const stopped = edge.app.close();
    await sleep(50);
    client.send(GOOD);
    const [, second] = await client.answers(['GET', 'GET']);
    expect(second!.status).toBe(200);
    expect(header(second!, 'connection')).toBe('close');
    await client.closed();
    await stopped;
  });

  it('is held up no longer than the deadline by clients that are idle, silent or in the middle of a request', async () => {
    const idle = await RawClient.open(edge.port);
    idle.send(GOOD);
    await idle.answers(['GET']);
    const silent = await RawClient.open(edge.port);
    const half = await RawClient.open(edge.port);
    half.send(GOOD.slice(0, 25));
    await sleep(50);
    const before = Date.now();
    await edge.app.close();
    expect(Date.now() - before).toBeLessThan(6_000);
    await Promise.all([idle.closed(), silent.closed(), half.closed()]);
  });
});
