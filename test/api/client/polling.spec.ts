import {
  DealSetsClient,
  type DealSetsClientOptions,
  type PollBatch,
} from '../../../packages/client/src/index.js';
import {
  failure,
  halfBody,
  page,
  scriptedServer,
  silence,
  single,
  time,
  withoutBackOff,
  type Handler,
} from '../../../packages/client/test/scripted-server.js';
import { eventually } from '../../setup/eventually.js';

const server = scriptedServer();
const clientWith = (options: Partial<DealSetsClientOptions> = {}): DealSetsClient =>
  new DealSetsClient({ baseUrl: server.url, accessToken: () => 't', ...options });

const askedSince = (): (string | null)[] =>
  server.received.map(({ url }) => new URL(url!, server.url).searchParams.get('since'));

/** Returns the first batches of a poll. */
async function take(
  count: number,
  options: { since?: string; everyMs?: number },
): Promise<PollBatch[]> {
  const batches: PollBatch[] = [];
  for await (const batch of clientWith().poll(options)) {
    batches.push(batch);
    if (batches.length === count) break;
  }
  return batches;
}

describe('poll', () => {
  it('follows pages at once while more remains', async () => {
    server.answer(
      page([single('a')], time(1), true),
      page([single('b')], time(2), true),
      page([], time(3)),
    );
    const anHour = 3_600_000;
    expect(await take(3, { since: time(0), everyMs: anHour })).toHaveLength(3);
  });

  it('polls every everyMs once nothing more remains', async () => {
    server.answer(
      page([single('a')], time(1), true),
      page([single('b')], time(2), true),
      page([], time(3)),
      page([single('c'), { kind: 'auction' }], time(4)),
    );
    const batches = await take(4, { since: time(0), everyMs: 1_000 });
    expect(batches.map(({ response: _response, ...batch }) => batch)).toEqual([
      { entries: [single('a')], skipped: 0, since: time(0), asOf: time(1), more: true },
      { entries: [single('b')], skipped: 0, since: time(1), asOf: time(2), more: true },
      { entries: [], skipped: 0, since: time(2), asOf: time(3), more: false },
      { entries: [single('c')], skipped: 1, since: time(3), asOf: time(4), more: false },
    ]);
    const [, , third, fourth] = server.received.map(({ at }) => at);
    expect(fourth! - third!).toBeGreaterThan(980);
  });

  it('starts from the beginning without since, and escapes since', async () => {
    server.answer(page([], time(1)));
    await take(1, {});
    await take(1, { since: '2026-10-14T16:00:00+02:00' });
    expect(askedSince()).toEqual(['1970-01-01T00:00:00Z', '2026-10-14T16:00:00+02:00']);
    expect(server.received[1]!.url).toContain('since=2026-10-14T16%3A00%3A00%2B02%3A00');
  });

  it('does not yield an unchanged entry again', async () => {
    const changed = single('a', { needsYou: 1 });
    server.answer(
      page([single('a'), single('b')], time(1)),
      page([single('a'), single('b')], time(2)),
      page([changed, single('b')], time(3)),
      page([single('a')], time(4)),
    );
    const batches = await take(4, { since: time(0), everyMs: 0 });
    expect(batches.map(({ entries }) => entries)).toEqual([
      [single('a'), single('b')],
      [],
      [changed],
      [single('a')],
    ]);
  });

  it('yields an unchanged entry again only for replies that could not be checked before', async () => {
    const replies = (newReplies: object): object =>
      single('a', { changes: { hasWrittenPrice: false, newReplies, ended: false } });
    const [unchecked, none] = [replies({ status: 'could_not_check' }), replies({ status: 'none' })];
    const news = replies({ status: 'new', count: 1, latestAt: time(0) });
    server.answer(
      ...[unchecked, unchecked, news, none, unchecked].map((entry, i) =>
        page([entry], time(i + 1)),
      ),
    );
    const batches = await take(5, { since: time(0), everyMs: 0 });
    expect(batches.map(({ entries }) => entries)).toEqual([[unchecked], [], [news], [], []]);
  });

  it('repeats the same since, after everyMs, until replies can be checked', async () => {
    const replies = (newReplies: object): object =>
      single('a', { changes: { hasWrittenPrice: false, newReplies, ended: false } });
    const unchecked = replies({ status: 'could_not_check' });
    const news = replies({ status: 'new', count: 1, latestAt: time(1) });
    server.answer(
      page([unchecked], time(0)),
      page([unchecked], time(0)),
      page([news], time(2)),
      page([], time(3)),
    );
    const batches = await take(4, { since: time(0), everyMs: 200 });
    expect(batches.map(({ entries }) => entries)).toEqual([[unchecked], [], [news], []]);
    expect(askedSince()).toEqual([time(0), time(0), time(0), time(2)]);
    expect(server.received[1]!.at - server.received[0]!.at).toBeGreaterThan(180);
  });

  it('waits everyMs when a page reports more but does not advance', async () => {
    server.answer(page([], time(0), true));
    await take(2, { since: time(0), everyMs: 300 });
    expect(server.received[1]!.at - server.received[0]!.at).toBeGreaterThan(280);
  });

  it('survives more failures than a single call, and requests the same time again', async () => {
    withoutBackOff();
    const down = failure(503, 'unavailable');
    server.answer(down, down, page([], time(1)));
    const { value } = await clientWith({ maxRetries: 0 })
      .poll({ since: time(0) })
      .next();
    expect(value).toMatchObject({ asOf: time(1) });
    expect(askedSince()).toEqual([time(0), time(0), time(0)]);
  });

  it('gives up after its own maxRetries', async () => {
    server.answer(failure(503, 'unavailable'));
    const poll = clientWith().poll({ since: time(0), maxRetries: 0 });
    await expect(poll.next()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('throws on a permanent failure', async () => {
    server.answer(page([], time(1)), failure(403, 'insufficient_scope'));
    const poll = clientWith().poll({ since: time(0), everyMs: 0 });
    await poll.next();
    await expect(poll.next()).rejects.toMatchObject({ code: 'insufficient_scope' });
  });

  it.each([-1, NaN, 'soon' as never])('rejects everyMs %p', async (everyMs) => {
    await expect(clientWith().poll({ everyMs }).next()).rejects.toThrow(/everyMs must be a number/);
  });
});

const LONG = { 'Retry-After': '3600' };
const reason = new Error('the page was left');

describe('a signal', () => {
  const fetched = jest.fn();
  const onRetry = jest.fn();
  let backOff: jest.SpyInstance;
  let client: DealSetsClient;
  beforeEach(() => {
    fetched.mockClear();
    onRetry.mockClear();
    // Each wait that the client chooses itself lasts days.
    backOff = jest.spyOn(Math, 'random').mockReturnValue(1e6);
    client = clientWith({
      onRetry,
      async fetch(...request) {
        const response = await fetch(...request);
        fetched();
        return response;
      },
    });
  });

  const isSent = (): void => expect(server.received).toHaveLength(1);
  const hasHeaders = (): void => expect(fetched).toHaveBeenCalled();
  const waitsForRetry = (): void => expect(onRetry).toHaveBeenCalled();
  const waitsForProgress = (): void => expect(backOff).toHaveBeenCalled();

  it.each<[string, Handler, () => void]>([
    ['while the response is awaited', silence, isSent],
    ['while the body is read', halfBody, hasHeaders],
    ['while a rate limit is waited out', failure(429, 'rate_limited', LONG), waitsForRetry],
    ['while an outage is waited out', failure(503, 'unavailable', LONG), waitsForRetry],
    [
      'while a page that does not advance is waited out',
      page([], '1970-01-01T00:00:00Z', true),
      waitsForProgress,
    ],
  ])('ends a call at once %s', async (_title, handler, isReached) => {
    server.answer(handler);
    const controller = new AbortController();
    const running = client.readAll({ signal: controller.signal }).catch((error: unknown) => error);
    await eventually(isReached);
    controller.abort(reason);
    expect(await running).toBe(reason);
  });

  it('prevents a call from requesting a token or sending anything when it is already aborted', async () => {
    server.answer(silence);
    const accessToken = jest.fn(() => 't');
    const asking = clientWith({ accessToken });
    const signal = AbortSignal.abort(reason);
    await expect(asking.list({ signal })).rejects.toBe(reason);
    await expect(asking.poll({ signal }).next()).resolves.toEqual({ done: true, value: undefined });
    expect(server.received).toEqual([]);
    expect(accessToken).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<DealSetsClientOptions>]>([
    ['that waits for its access token', { accessToken: () => new Promise(() => undefined) }],
    ['whose fetch ignores signals', { fetch: () => new Promise(() => undefined) }],
  ])('ends a call %s', async (_title, options) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 50);
    const { signal } = controller;
    await expect(clientWith(options).list({ signal })).rejects.toBe(reason);
  });

  it('ends a poll without an error between two polls', async () => {
    server.answer(page([], time(1)));
    const controller = new AbortController();
    const { signal } = controller;
    const batches: string[] = [];
    for await (const { asOf } of client.poll({ since: time(0), everyMs: 3_600_000, signal })) {
      batches.push(asOf);
      // By then, the poll has begun to wait.
      setImmediate(() => controller.abort());
    }
    expect(batches).toEqual([time(1)]);
  });

  it.each<[string, Handler, () => void]>([
    ['while a response is awaited', silence, isSent],
    ['while an outage is waited out', failure(503, 'unavailable', LONG), waitsForRetry],
  ])('ends a poll without an error %s', async (_title, handler, isReached) => {
    server.answer(handler);
    const controller = new AbortController();
    const next = client.poll({ since: time(0), signal: controller.signal }).next();
    await eventually(isReached);
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('keeps no listener once a call has ended', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const added = jest.spyOn(signal, 'addEventListener');
    const removed = jest.spyOn(signal, 'removeEventListener');
    withoutBackOff();
    server.answer(failure(503, 'unavailable'), page([], time(1)));
    await clientWith().readAll({ signal });
    await new Promise((resolve) => setImmediate(resolve));
    expect(added.mock.calls.length).toBeGreaterThan(0);
    const listening = new Set(added.mock.calls.map(([, listener]) => listener));
    for (const [, listener] of removed.mock.calls) listening.delete(listener);
    expect(listening.size).toBe(0);
  });
});
