import { DealSetsClient, type PollBatch } from '../src/index.js';
import { failure, page, ScriptedServer, single, time } from './scripted-server.js';

let server: ScriptedServer;
let client: DealSetsClient;
beforeAll(async () => {
  server = await ScriptedServer.start();
  client = new DealSetsClient({ baseUrl: server.url, accessToken: () => 't' });
});
afterAll(() => server.stop());

const askedSince = (): (string | null)[] =>
  server.received.map(({ url }) => new URL(url!, server.url).searchParams.get('since'));

/** The first batches of a poll. */
async function take(
  count: number,
  options: { since?: string; everyMs?: number },
): Promise<PollBatch[]> {
  const batches: PollBatch[] = [];
  for await (const batch of client.poll(options)) {
    batches.push(batch);
    if (batches.length === count) break;
  }
  return batches;
}

describe('poll', () => {
  it('follows pages at once while more remains, and then every everyMs', async () => {
    server.answer(
      page([single('a')], time(1), true),
      page([single('b')], time(2), true),
      page([], time(3)),
      page([single('c'), { kind: 'auction' }], time(4)),
    );
    const batches = await take(4, { since: time(0), everyMs: 1000 });
    expect(batches).toEqual([
      { entries: [single('a')], skipped: 0, since: time(0), asOf: time(1), more: true },
      { entries: [single('b')], skipped: 0, since: time(1), asOf: time(2), more: true },
      { entries: [], skipped: 0, since: time(2), asOf: time(3), more: false },
      { entries: [single('c')], skipped: 1, since: time(3), asOf: time(4), more: false },
    ]);
    const [first, , third, fourth] = server.received.map(({ at }) => at);
    expect(third! - first!).toBeLessThan(1000);
    expect(fourth! - third!).toBeGreaterThan(980);
  });

  it('begins at the beginning without since, and escapes since', async () => {
    server.answer(page([], time(1)));
    await take(1, {});
    await take(1, { since: '2026-10-14T16:00:00+02:00' });
    expect(askedSince()).toEqual(['1970-01-01T00:00:00Z', '2026-10-14T16:00:00+02:00']);
    expect(server.received[1]!.url).toContain('since=2026-10-14T16%3A00%3A00%2B02%3A00');
  });

  it('does not yield a repeat that did not change', async () => {
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

  it('waits everyMs when a page says more but does not advance', async () => {
    server.answer(page([], time(0), true));
    await take(2, { since: time(0), everyMs: 300 });
    expect(server.received[1]!.at - server.received[0]!.at).toBeGreaterThan(280);
  });

  it('outlasts more failures than a call, and asks for the same time again', async () => {
    const patient = new DealSetsClient({
      baseUrl: server.url,
      accessToken: () => 't',
      maxRetries: 0,
    });
    const down = failure(503, 'unavailable', { 'Retry-After': '1' });
    server.answer(down, down, page([], time(1)));
    for await (const { asOf } of patient.poll({ since: time(0) })) {
      expect(asOf).toBe(time(1));
      break;
    }
    expect(askedSince()).toEqual([time(0), time(0), time(0)]);
  });

  it('gives up after its own maxRetries', async () => {
    server.answer(failure(503, 'unavailable'));
    const poll = client.poll({ since: time(0), maxRetries: 0 });
    await expect(poll.next()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('throws on a failure that does not pass', async () => {
    server.answer(page([], time(1)), failure(403, 'insufficient_scope'));
    const poll = client.poll({ since: time(0), everyMs: 0 });
    await poll.next();
    await expect(poll.next()).rejects.toMatchObject({ code: 'insufficient_scope' });
  });

  it.each([-1, NaN, 'soon' as never])('refuses everyMs %p', async (everyMs) => {
    await expect(client.poll({ everyMs }).next()).rejects.toThrow(/everyMs must be a number/);
  });
});
