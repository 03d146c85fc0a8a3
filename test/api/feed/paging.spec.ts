import { dealSet, load, priceCheck } from '../../builders/index.js';
import {
  EPOCH,
  FeedWorld,
  idOf,
  idsOf,
  insertSingle,
  latestOf,
  setPrice,
  type FeedBuyer,
} from './feed-world.js';

const NO_MARGIN = { FEED_MARGIN_MS: '0' };

describe('paging by Service-As-Of', () => {
  let world: FeedWorld;
  let anna: FeedBuyer;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 30, env: NO_MARGIN });
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    anna = world.next();
  });

  /** Requests of both kinds, a second apart. */
  async function spread(count: number): Promise<string[]> {
    const records = Array.from({ length: count }, (_, i) => {
      const latestActivityAt = new Date(Date.UTC(2026, 3, 1, 0, 0, i)).toISOString();
      return i % 2 === 0
        ? dealSet({ buyerId: anna.id, latestActivityAt })
        : priceCheck({ buyerId: anna.id, dealershipId: world.shop.id, latestActivityAt });
    });
    await load(world.database, records, { isBackfill: true });
    return records.map(({ id }) => id);
  }

  it('reads everything from 1970, both kinds mixed, oldest change first', async () => {
    const ids = await spread(60);
    const pages = await world.drain(EPOCH, anna);
    expect(pages.map((page) => page.entries.length)).toEqual([25, 25, 10]);
    expect(pages.flatMap((page) => page.entries.map(idOf))).toEqual(ids);
    expect(pages.map((page) => page.hasMore)).toEqual([true, true, false]);
  });

  it('gives the edge of a page that is not the last as Service-As-Of', async () => {
    await spread(30);
    const page = await world.poll(EPOCH, anna);
    expect(page.asOf).toBe(page.entries.at(-1)!.latestActivityAt);
  });

  it('ends with exactly one full page', async () => {
    await spread(25);
    expect(await world.drain(EPOCH, anna)).toHaveLength(1);
  });

  it.each([75, 200])('keeps %i requests of one instant on one page', async (count) => {
    const at = '2026-04-02T00:00:00.123Z';
    const ties = Array.from({ length: count }, (_, i) =>
      i % 3 === 0
        ? dealSet({ buyerId: anna.id, latestActivityAt: at })
        : priceCheck({ buyerId: anna.id, dealershipId: world.shop.id, latestActivityAt: at }),
    );
    const around = await spread(30);
    await load(world.database, ties, { isBackfill: true });
    const pages = await world.drain(EPOCH, anna);
    expect(idsOf(pages)).toEqual([...around, ...ties.map(({ id }) => id)].sort());
    expect(pages.length).toBeLessThanOrEqual(3);
  });

  it('delivers all of a transaction that changes hundreds of requests at once', async () => {
    const ids = await spread(260);
    const since = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    await world.database.query('UPDATE deal_set SET dealers_found = 5 WHERE buyer_id = $1', [
      anna.id,
    ]);
    const pages = await world.drain(since, anna);
    expect(idsOf(pages)).toEqual(ids.filter((_, i) => i % 2 === 0).sort());
    for (const page of pages) expect(page.entries.length).toBeLessThanOrEqual(124);
  });

  it('excludes the instant itself, and includes a since a fraction of a millisecond before', async () => {
    const at = '2026-04-03T00:00:00.124Z';
    const one = dealSet({ buyerId: anna.id, latestActivityAt: at });
    await load(world.database, [one], { isBackfill: true });
    expect((await world.poll(at, anna)).entries).toEqual([]);
    expect(idsOf([await world.poll('2026-04-03T00:00:00.1239999Z', anna)])).toEqual([one.id]);
    expect((await world.poll('2026-04-03T00:00:00.1240001Z', anna)).entries).toEqual([]);
  });

  it('places a back-filled time with more digits at its millisecond', async () => {
    const one = dealSet({ buyerId: anna.id, latestActivityAt: '2026-04-03T00:00:00.1239999Z' });
    await load(world.database, [one], { isBackfill: true });
    const [entry] = (await world.poll(EPOCH, anna)).entries;
    expect(entry!.latestActivityAt).toBe('2026-04-03T00:00:00.123Z');
  });

  it('includes ended requests, also one whose price is not in writing', async () => {
    const at = '2026-04-04T00:00:00Z';
    const ended = [
      dealSet({ buyerId: anna.id, endedAt: at, latestActivityAt: at }),
      priceCheck({
        buyerId: anna.id,
        dealershipId: world.shop.id,
        price: { otdCents: 5 },
        ended: 'no_price',
        endedAt: at,
        latestActivityAt: at,
      }),
    ];
    await load(world.database, ended, { isBackfill: true });
    const entries = (await world.poll(EPOCH, anna)).entries;
    expect(entries.map((entry) => [entry.section, entry.lowestWrittenOtdCents])).toEqual([
      ['inactive', null],
      ['inactive', null],
    ]);
  });

  it('keeps a request of unknown time in the feed, where it was recorded', async () => {
    const unknown = dealSet({ buyerId: anna.id });
    await load(world.database, [unknown], { isBackfill: true });
    const [page] = await world.drain(EPOCH, anna);
    expect(page!.entries).toMatchObject([{ dealSetId: unknown.id, latestActivityAt: null }]);
    await world.database.query('UPDATE deal_set SET dealers_found = 2 WHERE id = $1', [unknown.id]);
    const [entry] = (await world.poll(page!.asOf, anna)).entries;
    expect(entry!.latestActivityAt).not.toBeNull();
  });

  it('answers a since in the future with nothing, and brings the client back to now', async () => {
    await spread(3);
    const before = await world.databaseTime();
    const page = await world.poll('2999-01-01T00:00:00Z', anna);
    expect(page).toMatchObject({ entries: [], hasMore: false });
    expect(Date.parse(page.asOf)).toBeLessThanOrEqual(await world.databaseTime());
    expect(Date.parse(page.asOf)).toBeGreaterThan(before - 5_000);
  });

  it('answers a poll without activity with nothing', async () => {
    await spread(3);
    const first = await world.poll(EPOCH, anna);
    const again = await world.poll(first.asOf, anna);
    expect(again).toMatchObject({ entries: [], hasMore: false });
    expect(Date.parse(again.asOf)).toBeGreaterThanOrEqual(Date.parse(first.asOf));
  });

  it('answers a buyer without requests with nothing, now', async () => {
    const page = await world.poll(EPOCH, anna);
    expect(page).toMatchObject({ entries: [], hasMore: false });
    expect(Date.parse(page.asOf)).toBeGreaterThan((await world.databaseTime()) - 5_000);
  });

  it('shows what changes during the loop in its last state, and what is new in the next poll', async () => {
    const ids = await spread(80);
    const first = await world.poll(EPOCH, anna);
    await world.database.query(setPrice(ids[1]!, 111));
    await world.database.query(setPrice(ids[79]!, 222));
    const [fresh, insert] = insertSingle(world, anna);
    await world.database.query(insert);
    const pages = [first, ...(await world.drain(first.asOf, anna))];
    const latest = latestOf(pages);
    expect(idsOf(pages)).toEqual([...ids, fresh].sort());
    expect(latest.get(`single:${ids[1]!}`)!.lowestWrittenOtdCents).toBe(111);
    expect(latest.get(`single:${ids[79]!}`)!.lowestWrittenOtdCents).toBe(222);
  });

  it('ends although a request changes before every page', async () => {
    const ids = await spread(120);
    let since = EPOCH;
    let pages = 0;
    for (let hasMore = true; hasMore; pages++) {
      await world.database.query(setPrice(ids[2 * pages + 1]!, pages));
      const page = await world.poll(since, anna);
      if (page.hasMore) expect(Date.parse(page.asOf)).toBeGreaterThan(Date.parse(since));
      ({ asOf: since, hasMore } = page);
    }
    expect(pages).toBeLessThanOrEqual(8);
  });

  it('can be taken up again from every Service-As-Of of a loop', async () => {
    const ids = await spread(70);
    const pages = await world.drain(EPOCH, anna);
    for (const [i, page] of pages.entries()) {
      const rest = await world.drain(page.asOf, anna);
      expect(idsOf([...pages.slice(0, i + 1), ...rest])).toEqual([...ids].sort());
    }
  });

  it('changes nothing in the database', async () => {
    await spread(30);
    const feed = (): Promise<object[]> =>
      world.database.query(
        'SELECT *, xmin::text FROM request_feed WHERE buyer_id = $1 ORDER BY 1, 2, 3',
        [anna.id],
      );
    const before = await feed();
    await world.drain(EPOCH, anna);
    expect(await feed()).toEqual(before);
  });

  it('stamps hundreds of changes a second in strictly rising whole milliseconds', async () => {
    const [, id] = (await spread(2)) as [string, string];
    // The moment of the stamp itself, before the transaction goes on.
    await world.database.query(`
      CREATE TABLE stamping (at timestamptz, feed_at timestamptz);
      CREATE FUNCTION note_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO public.stamping VALUES (clock_timestamp(), NEW.feed_at); RETURN NULL; END $$;
      CREATE TRIGGER note_stamp AFTER UPDATE OF feed_at ON request_feed
        FOR EACH ROW EXECUTE FUNCTION note_stamp();`);
    for (let i = 0; i < 200; i++) await world.database.query(setPrice(id, i + 1000));
    // Two changes within a millisecond push the second ahead of the clock, and then it waits for the clock.
    const [row] = await world.database.query(`
      SELECT count(DISTINCT feed_at)::integer AS stamps,
        count(*) FILTER (WHERE feed_at > at AND feed_at <> before + interval '1 ms')::integer AS late,
        count(*) FILTER (WHERE feed_at <> date_trunc('milliseconds', feed_at))::integer AS fine
      FROM (SELECT *, lag(feed_at) OVER (ORDER BY feed_at) AS before FROM stamping) s`);
    await world.database.query('DROP TRIGGER note_stamp ON request_feed');
    expect(row).toEqual({ stamps: 200, late: 0, fine: 0 });
  });
});

describe('Service-As-Of with the default margin', () => {
  let world: FeedWorld;
  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 1 });
  });
  afterAll(() => world.stop());

  it('lies a little before the call began, while requests change and when they do not', async () => {
    const { singles } = await world.history();
    let since = EPOCH;
    for (let i = 0; i < 20; i++) {
      await world.database.query(setPrice(singles[i % 2]!, i));
      const startedAt = await world.databaseTime();
      const page = await world.poll(since);
      expect(Date.parse(page.asOf)).toBeLessThan(startedAt);
      expect(Date.parse(page.asOf)).toBeGreaterThan(startedAt - 10_000);
      since = page.asOf;
    }
  });
});
