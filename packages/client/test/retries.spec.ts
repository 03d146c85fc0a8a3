import { DealSetsClient, DealSetsError, type DealSetsClientOptions } from '../src/index.js';
import { backOffMs, parseRetryAfter } from '../src/retry.js';
import {
  failure,
  halfBody,
  json,
  list,
  ScriptedServer,
  scriptedServer,
  silence,
  torn,
  withoutBackOff,
  type Handler,
} from './scripted-server.js';

const server = scriptedServer();

interface Retry {
  readonly error: DealSetsError;
  readonly waitMs: number;
}

function clientWith(options: Partial<DealSetsClientOptions> = {}): {
  client: DealSetsClient;
  retries: Retry[];
} {
  const retries: Retry[] = [];
  const client = new DealSetsClient({
    baseUrl: server.url,
    accessToken: () => 't',
    onRetry: (error, waitMs) => retries.push({ error, waitMs }),
    ...options,
  });
  return { client, retries };
}

describe('a 429 or a 503', () => {
  it('is retried after Retry-After', async () => {
    server.answer(failure(429, 'rate_limited', { 'Retry-After': '1' }), list([]));
    const { client, retries } = clientWith();
    await client.list();
    const [first, second] = server.received.map(({ at }) => at);
    expect(second! - first!).toBeGreaterThan(980);
    expect(retries).toMatchObject([
      { error: { code: 'rate_limited', retryAfterMs: 1000 }, waitMs: 1000 },
    ]);
  });

  it('is retried after the back-off when Retry-After is missing or zero', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const now = failure(503, 'unavailable', { 'Retry-After': '0' });
    server.answer(failure(503, 'auth_unverifiable'), now, list([]));
    const { client, retries } = clientWith();
    await client.list();
    expect(server.received[1]!.at - server.received[0]!.at).toBeGreaterThan(480);
    expect(retries).toMatchObject([
      { error: { code: 'auth_unverifiable' }, waitMs: 500 },
      { error: { code: 'unavailable' }, waitMs: 500 },
    ]);
  });

  it('fails the call after maxRetries', async () => {
    server.answer(failure(503, 'unavailable', { 'Retry-After': '1' }));
    const { client } = clientWith({ maxRetries: 1 });
    const error = await client.list().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DealSetsError);
    expect(error).toMatchObject({
      name: 'DealSetsError',
      code: 'unavailable',
      status: 503,
      requestId: 'request-1',
      retryAfterMs: 1000,
    });
    const [first, second, third] = server.received.map(({ at }) => at);
    expect(second! - first!).toBeGreaterThan(980);
    expect(third).toBeUndefined();
  });

  it('is also retried when it comes from a gateway, as are 502 and 504', async () => {
    withoutBackOff();
    server.answer(json(502, '<html>'), json(504, ''), json(503, '[]'), list([]));
    const { client, retries } = clientWith();
    await client.list();
    expect(retries.map(({ error }) => error.code)).toEqual(['http_502', 'http_504', 'http_503']);
  });
});

describe('other errors', () => {
  it.each([
    [400, 'invalid_request'],
    [403, 'insufficient_scope'],
    [404, 'not_found'],
    [500, 'internal'],
    [409, 'a_code_of_the_future'],
  ])('are not retried: %i %s', async (status, code) => {
    server.answer(failure(status, code));
    const { client, retries } = clientWith();
    await expect(client.list()).rejects.toMatchObject({
      name: 'DealSetsError',
      message: `For people. (${code}, HTTP ${status})`,
      code,
      status,
      requestId: 'request-1',
      retryAfterMs: undefined,
    });
    expect(server.received).toHaveLength(1);
    expect(retries).toEqual([]);
  });
});

describe('a lost response', () => {
  const late = { message: 'no complete response within 2000 ms' };
  const lost = { message: expect.any(String) as string };
  it.each<[string, Handler, object]>([
    ['a connection closed before the response', (request) => request.socket.destroy(), lost],
    ['a connection lost in the body', torn, lost],
    ['no response within timeoutMs', silence, late],
    ['an unfinished body after timeoutMs', halfBody, late],
  ])('is requested again: %s', async (_title, handler, cause) => {
    withoutBackOff();
    server.answer(handler, list([]));
    const { client, retries } = clientWith({ timeoutMs: 2_000 });
    await client.list();
    expect(retries).toMatchObject([{ error: { code: 'network_error', status: 0, cause } }]);
  });
});

describe('the back-off', () => {
  it('is random, from 0.5 s to a ceiling that doubles up to 8 s', () => {
    for (const [retries, ceiling] of [1000, 2000, 4000, 8000, 8000, 8000].entries()) {
      const waits = Array.from({ length: 2000 }, () => backOffMs(retries));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
      expect(Math.max(...waits)).toBeLessThanOrEqual(ceiling);
      expect(Math.min(...waits)).toBeLessThan(500 + (ceiling - 500) * 0.1);
      expect(Math.max(...waits)).toBeGreaterThan(500 + (ceiling - 500) * 0.9);
    }
    expect(backOffMs(2000)).toBeLessThanOrEqual(8000);
  });
});

describe('Retry-After', () => {
  it('is read as seconds or as a date', () => {
    expect(parseRetryAfter('7')).toBe(7000);
    expect(parseRetryAfter(null)).toBeUndefined();
    expect(parseRetryAfter('soon')).toBeUndefined();
    expect(parseRetryAfter(new Date(0).toUTCString())).toBe(0);
    const inAMinute = parseRetryAfter(new Date(Date.now() + 60_000).toUTCString());
    expect(inAMinute).toBeGreaterThan(30_000);
    expect(inAMinute).toBeLessThanOrEqual(60_000);
  });
});

describe('an address from which no response ever comes', () => {
  it('makes a poll give up with the reason', async () => {
    withoutBackOff();
    const ended = new ScriptedServer();
    await ended.start();
    const { url: baseUrl } = ended;
    await ended.stop();
    const { client, retries } = clientWith({ baseUrl });
    const polling = client.poll({ everyMs: 0 }).next();
    await expect(polling).rejects.toMatchObject({
      code: 'network_error',
      message: 'No complete response arrived: ECONNREFUSED.',
    });
    expect(retries).toHaveLength(5);
  });
});

it.each([-1, 1.5, NaN])('rejects maxRetries %p', async (maxRetries) => {
  expect(() => clientWith({ maxRetries })).toThrow(/maxRetries must be a whole number/);
  const polling = clientWith().client.poll({ maxRetries }).next();
  await expect(polling).rejects.toThrow(/maxRetries must be a whole number/);
});
