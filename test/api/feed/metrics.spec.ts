import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { dealership, dealSet, load, priceCheck } from '../../builders/index.js';
import { EPOCH, FeedWorld, setPrice } from './feed-world.js';

describe('the feed’s metrics, on the management port', () => {
  let world: FeedWorld;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    world = await FeedWorld.start({
      buyers: 3,
      changesGranted: true,
      env: { MANAGEMENT_PORT: String(port), REQUEST_DEADLINE_MS: '2000' },
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
    await world.history(world.anna, 30, 0);
    const later = Array.from({ length: 26 }, (_, i) =>
      dealSet({
        buyerId: world.anna.id,
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
    expect(age).toBeLessThan(5);
  });

  it('count polls that meet a writer between its stamp and its commit', async () => {
    const who = world.buyers[2]!;
    const { singles } = await world.history(who);
    const writer = await world.writer();
    await writer.query('BEGIN');
    await writer.query(setPrice(singles[0]!, 3));
    await writer.query('SET CONSTRAINTS ALL IMMEDIATE');
    const poll = (): Promise<unknown> => world.poll(EPOCH, who);
    expect(await growthOf('deal_sets_feed_busy_probes_total', poll)).toBe(1);
    await writer.query('ROLLBACK');
    expect(await growthOf('deal_sets_feed_busy_probes_total', poll)).toBe(0);
  });

  it('show how many parts of listings are hidden', async () => {
    const shop = dealership({ name: 'Lakeside Motors' });
    const rows = [
      { make: 'Honda', trim: 'EX' },
      { make: 'Honda', trim: 'Lakeside Motors EX', exteriorColor: 'call 555-0123' },
    ].map((listing) => priceCheck({ buyerId: world.anna.id, dealershipId: shop.id, listing }));
    const sample = 'deal_sets_hidden_listing_parts';
    expect(await growthOf(sample, () => load(world.database, [shop, ...rows]))).toBe(2);
    const rename = (): Promise<unknown> =>
      world.database.query(`UPDATE dealership SET name = 'Kestrel' WHERE id = $1`, [shop.id]);
    expect(await growthOf(sample, rename)).toBe(-1);
  });

  it('show a clock that was set back', async () => {
    const who = world.buyers[2]!;
    await world.database.query(
      `UPDATE request_feed SET feed_at = clock_timestamp() + interval '30 seconds' WHERE buyer_id = $1 AND kind = 'single'`,
      [who.id],
    );
    await world.poll(EPOCH, who);
    expect(await metric('deal_sets_feed_stamp_ahead_of_clock_seconds')).toBeGreaterThan(20);
  });

  it('count polls whose replies could not be looked up', async () => {
    const locker = await world.writer();
    await locker.query('BEGIN; LOCK TABLE reply IN ACCESS EXCLUSIVE MODE');
    const poll = (): Promise<unknown> => world.poll(EPOCH, world.anna, 'assistant');
    expect(await growthOf('deal_sets_feed_replies_unchecked_total', poll)).toBe(1);
    // Without an entry there is nothing to look up.
    const empty = (): Promise<unknown> =>
      world.poll('2999-01-01T00:00:00Z', world.anna, 'assistant');
    expect(await growthOf('deal_sets_feed_replies_unchecked_total', empty)).toBe(0);
    await locker.query('ROLLBACK');
  });
});

describe('a clock that was set back', () => {
  let world: FeedWorld;
  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 1, env: { FEED_MARGIN_MS: '0' } });
  });
  afterAll(() => world.stop());

  it('loses nothing of a buyer whose newest change lies ahead of it', async () => {
    const { singles } = await world.history(world.anna, 40, 0);
    // As they look once the clock was set back by ten seconds after these changes.
    await world.database.query(
      `UPDATE request_feed f SET feed_at = date_trunc('milliseconds', clock_timestamp()) + interval '10 seconds'
         + n * interval '1 millisecond'
       FROM (SELECT request_id, row_number() OVER (ORDER BY request_id) AS n FROM request_feed) r
       WHERE r.request_id = f.request_id`,
    );
    const now = new Date(await world.databaseTime()).toISOString();
    const first = await world.poll(now);
    expect(first).toMatchObject({ hasMore: true, asOf: first.entries.at(-1)!.latestActivityAt });
    await world.database.query(setPrice(singles[0]!, 1));
    const rest = await world.drain(first.asOf);
    const last = rest.flatMap((page) => page.entries).findLast((entry) => entry.id === singles[0]);
    expect(last).toMatchObject({ lowestWrittenOtdCents: 1 });
    expect(new Set([first, ...rest].flatMap((page) => page.entries.map(({ id }) => id))).size).toBe(
      40,
    );
    await world.database.query(setPrice(singles[1]!, 2));
    const next = await world.drain(rest.at(-1)!.asOf);
    expect(
      next.flatMap((page) => page.entries).findLast((entry) => entry.id === singles[1]),
    ).toMatchObject({
      lowestWrittenOtdCents: 2,
    });
  });
});
