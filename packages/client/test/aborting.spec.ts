import { DealSetsClient } from '../src/index.js';
import { failure, page, ScriptedServer, silence, time, type Handler } from './scripted-server.js';

let server: ScriptedServer;
let client: DealSetsClient;
beforeAll(async () => {
  server = await ScriptedServer.start();
  client = new DealSetsClient({ baseUrl: server.url, accessToken: () => 't' });
});
afterAll(() => server.stop());

const LONG = { 'Retry-After': '3600' };
const reason = new Error('the page was left');

/** Aborts once the server has received a request, and says how long the call then took. */
async function abortedAfter(call: (signal: AbortSignal) => Promise<unknown>): Promise<number> {
  const controller = new AbortController();
  const running = call(controller.signal).catch((error: unknown) => error);
  while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const abortedAt = performance.now();
  controller.abort(reason);
  expect(await running).toBe(reason);
  return performance.now() - abortedAt;
}

const halfBody: Handler = (_request, response) => void response.writeHead(200).write('{"data":');

describe('a signal', () => {
  it.each<[string, Handler]>([
    ['while the response is awaited', silence],
    ['while the body is read', halfBody],
    ['while a rate limit is waited out', failure(429, 'rate_limited', LONG)],
    ['while an outage is waited out', failure(503, 'unavailable', LONG)],
    ['while a page that does not advance is waited out', page([], '1970-01-01T00:00:00Z', true)],
  ])('ends a call at once %s', async (_title, handler) => {
    server.answer(handler);
    expect(await abortedAfter((signal) => client.readAll({ signal }))).toBeLessThan(2000);
  });

  it('keeps a call from sending anything and asking for a token when it has aborted before', async () => {
    server.answer(silence);
    const accessToken = jest.fn(() => 't');
    const asking = new DealSetsClient({ baseUrl: server.url, accessToken });
    const signal = AbortSignal.abort(reason);
    await expect(asking.list({ signal })).rejects.toBe(reason);
    await expect(asking.poll({ signal }).next()).resolves.toEqual({ done: true, value: undefined });
    expect(server.received).toEqual([]);
    expect(accessToken).not.toHaveBeenCalled();
  });

  it('ends a call that waits for its access token', async () => {
    const controller = new AbortController();
    const waiting = new DealSetsClient({
      baseUrl: server.url,
      accessToken: () => new Promise<string>(() => undefined),
    });
    setTimeout(() => controller.abort(reason), 50);
    await expect(waiting.list({ signal: controller.signal })).rejects.toBe(reason);
  });

  it('ends a call whose fetch ignores signals', async () => {
    const controller = new AbortController();
    const deaf = new DealSetsClient({
      baseUrl: server.url,
      accessToken: () => 't',
      fetch: () => new Promise<Response>(() => undefined),
    });
    setTimeout(() => controller.abort(reason), 50);
    await expect(deaf.list({ signal: controller.signal })).rejects.toBe(reason);
  });

  it.each<[string, Handler]>([
    ['between two polls', page([], time(1))],
    ['while a response is awaited', silence],
    ['while an outage is waited out', failure(503, 'unavailable', LONG)],
  ])('ends a poll without an error %s', async (_title, handler) => {
    server.answer(handler);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    let batches = 0;
    for await (const batch of client.poll({
      since: time(0),
      everyMs: 3_600_000,
      signal: controller.signal,
    })) {
      expect(batch.asOf).toBe(time(1));
      batches += 1;
    }
    expect(controller.signal.aborted).toBe(true);
    expect(batches).toBeLessThanOrEqual(1);
  });

  it('keeps no listener once a call has ended', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const added = jest.spyOn(signal, 'addEventListener');
    const removed = jest.spyOn(signal, 'removeEventListener');
    server.answer(failure(503, 'unavailable', { 'Retry-After': '1' }), page([], time(1)));
    await client.readAll({ signal });
    await new Promise((resolve) => setImmediate(resolve));
    expect(added.mock.calls.length).toBeGreaterThan(0);
    const held = new Set(added.mock.calls.map(([, listener]) => listener));
    for (const [, listener] of removed.mock.calls) held.delete(listener);
    expect(held.size).toBe(0);
  });
});
