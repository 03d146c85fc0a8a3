import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { dealSet, load } from '../../builders/index.js';
import { EPOCH, FeedWorld, setPrice, STAMP } from '../../setup/feed-world.js';

/** These tests use the default margin. */
describe('the feed’s metrics, on the management port', () => {
  let world: FeedWorld;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    world = await FeedWorld.start({
      buyers: 4,
      changesGranted: true,
      env: { MANAGEMENT_PORT: String(port) },
    });
  });
  afterAll(() => world.stop());

  async function metric(sample: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1) ?? 0);
  }

  async function growthOf(sample: string, act: () => Promise<unknown>): Promise<number> {
    const before = await metric(sample);
    await act();
    return (await metric(sample)) - before;
  }

  it('count the pages of a drain', async () => {
    await world.loadHistory(world.buyer, 120, 0);
    const later = Array.from({ length: 101 }, (_, i) =>
      dealSet({
        buyerId: world.buyer.id,
        latestActivityAt: new Date(Date.UTC(2026, 3, 1, 0, i)).toISOString(),
      }),
    );
    await load(world.database, later, { isBackfill: true });
    const drain = (): Promise<unknown> => world.drain(EPOCH);
    expect(await growthOf('deal_sets_feed_pages_total{more="true"}', drain)).toBe(2);
    expect(await growthOf('deal_sets_feed_pages_total{more="false"}', drain)).toBe(1);
    expect(await growthOf('deal_sets_feed_tied_pages_total', drain)).toBe(1);
    expect(await growthOf('deal_sets_feed_busy_probes_total', drain)).toBe(0);
  });

  it('show the age of Service-As-Of on the last page', async () => {
    const poll = (): Promise<unknown> => world.poll(EPOCH, world.buyers[1]);
    expect(await growthOf('deal_sets_feed_as_of_age_seconds_count', poll)).toBe(1);
    const age = await growthOf('deal_sets_feed_as_of_age_seconds_sum', poll);
    expect(age).toBeGreaterThanOrEqual(0.9);
    expect(age).toBeLessThan(20);
  });

  it('show a Service-As-Of shortly before the call, with and without changes', async () => {
    const reader = world.buyers[3]!;
    const { singles } = await world.loadHistory(reader);
    let since = EPOCH;
    for (let i = 0; i < 20; i++) {
      if (i % 4 !== 0) await world.database.query(setPrice(singles[i % 2]!, i));
      const startedAt = await world.databaseTime();
      const page = await world.poll(since, reader);
      expect(Date.parse(page.asOf)).toBeLessThan(startedAt);
      expect(Date.parse(page.asOf)).toBeGreaterThan(startedAt - 10_000);
      since = page.asOf;
    }
  });

  it('count polls that meet a writer between its stamp and its commit', async () => {
    const reader = world.buyers[2]!;
    const { singles } = await world.loadHistory(reader);
    const writer = await world.writer();
    await writer.query(`BEGIN; ${setPrice(singles[0]!, 3)}; ${STAMP}`);
    const poll = (): Promise<unknown> => world.poll(EPOCH, reader);
    expect(await growthOf('deal_sets_feed_busy_probes_total', poll)).toBe(1);
    await writer.query('ROLLBACK');
    expect(await growthOf('deal_sets_feed_busy_probes_total', poll)).toBe(0);
  });

  it('show a clock that was set back', async () => {
    const reader = world.buyers[2]!;
    await world.database.query(
      `UPDATE deal_sets.request_feed SET feed_at = clock_timestamp() + interval '30 seconds' WHERE buyer_id = $1 AND kind = 'single'`,
      [reader.id],
    );
    await world.poll(EPOCH, reader);
    expect(await metric('deal_sets_feed_stamp_ahead_of_clock_seconds')).toBeGreaterThan(20);
  });

  it('count polls whose replies could not be looked up', async () => {
    const locker = await world.writer();
    await locker.query('BEGIN; LOCK TABLE deal_sets.reply IN ACCESS EXCLUSIVE MODE');
    const poll = (): Promise<unknown> => world.poll(EPOCH, world.buyer, 'assistant');
    expect(await growthOf('deal_sets_feed_replies_unchecked_total', poll)).toBe(1);
    // Without an entry there is nothing to look up.
    const empty = (): Promise<unknown> =>
      world.poll('2999-01-01T00:00:00Z', world.buyer, 'assistant');
    expect(await growthOf('deal_sets_feed_replies_unchecked_total', empty)).toBe(0);
    await locker.query('ROLLBACK');
  });
});
