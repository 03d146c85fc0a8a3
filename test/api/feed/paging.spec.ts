import fc from 'fast-check';
import { dealSet, insertHistory, load, priceCheck } from '../../builders/index.js';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { createTestDatabase } from '../../setup/test-database.js';
import {
  EPOCH,
  FeedWorld,
  idOf,
  idsOf,
  latestOf,
  NO_MARGIN,
  PATH,
  setPrice,
  type Entry,
  type Poll,
} from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';

let world: FeedWorld;
let anna: Reader;

beforeAll(async () => {
  world = await FeedWorld.start(NO_MARGIN);
});
afterAll(() => world.stop());
beforeEach(() => {
  anna = world.unusedBuyer();
});

/**
 * Backfills requests. Every other one is a deal set.
 *
 * @param at returns the time of the n-th request.
 */
async function backfill(count: number, at: (index: number) => string): Promise<string[]> {
  const records = Array.from({ length: count }, (_, i) => {
    const keys = { buyerId: anna.id, latestActivityAt: at(i) };
    return i % 2 === 0 ? dealSet(keys) : priceCheck({ ...keys, dealershipId: world.dealership.id });
  });
  await insertHistory(world.database, records);
  return records.map(({ id }) => id);
}
/** Back-fills requests one second apart. */
const spread = (count: number): Promise<string[]> =>
  backfill(count, (i) => new Date(Date.UTC(2026, 3, 1, 0, 0, i)).toISOString());

describe('paging by Service-As-Of', () => {
  it.each([120, 200])('keeps %i requests of one instant on one page', async (count) => {
    const around = await spread(30);
    const ties = await backfill(count, () => '2026-04-02T00:00:00.123Z');
    const pages = await world.drain(EPOCH, anna);
    expect(idsOf(pages)).toEqual([...around, ...ties].sort());
    expect(pages.length).toBeLessThanOrEqual(3);
  });

  it('delivers all changes of a transaction that changes hundreds of requests at once', async () => {
    const ids = await spread(260);
    const since = await world.latestWatermark(anna);
    await world.database.query(
      'UPDATE deal_sets.deal_set SET dealers_found = 5 WHERE buyer_id = $1',
      [anna.id],
    );
    const pages = await world.drain(since, anna);
    expect(idsOf(pages)).toEqual(ids.filter((_, i) => i % 2 === 0).sort());
    for (const page of pages) expect(page.entries.length).toBeLessThanOrEqual(199);
  });

  it('excludes the instant itself, and includes a since a fraction of a millisecond before', async () => {
    const at = '2026-04-03T00:00:00.124Z';
    const [id] = await backfill(1, () => at);
    expect(await world.changedIdsSince(at, anna)).toEqual([]);
    expect(await world.changedIdsSince('2026-04-03T00:00:00.1239999Z', anna)).toEqual([id]);
    expect(await world.changedIdsSince('2026-04-03T00:00:00.1240001Z', anna)).toEqual([]);
  });

  it('places a back-filled time with more digits at its millisecond', async () => {
    const made = dealSet({ buyerId: anna.id, latestActivityAt: '2026-04-03T00:00:00.1239999Z' });
    await load(world.database, [made], { isBackfill: true });
    const [entry] = (await world.poll(EPOCH, anna)).entries;
    expect(entry!.latestActivityAt).toBe('2026-04-03T00:00:00.123Z');
  });

  it('keeps a request of unknown time in the feed, where it was recorded', async () => {
    const unknown = dealSet({ buyerId: anna.id });
    await insertHistory(world.database, [unknown]);
    const [page] = await world.drain(EPOCH, anna);
    expect(page!.entries).toMatchObject([{ dealSetId: unknown.id, latestActivityAt: null }]);
    await world.database.query('UPDATE deal_sets.deal_set SET dealers_found = 2 WHERE id = $1', [
      unknown.id,
    ]);
    const [entry] = (await world.poll(page!.asOf, anna)).entries;
    expect(entry!.latestActivityAt).not.toBeNull();
  });

  it.each([
    ['a since in the future', 3, () => '2999-01-01T00:00:00Z'],
    ['a poll without activity', 3, () => world.latestWatermark(anna)],
    ['a buyer without requests', 0, () => EPOCH],
  ])('returns nothing for %s, and the time of the read', async (_what, count, sinceOf) => {
    await spread(count);
    const since = await sinceOf();
    const before = await world.databaseTime();
    const page = await world.poll(since, anna);
    expect(page).toMatchObject({ entries: [], hasMore: false });
    expect(Date.parse(page.asOf)).toBeLessThanOrEqual(await world.databaseTime());
    expect(Date.parse(page.asOf)).toBeGreaterThan(before - 5_000);
  });

  it('ends although a request changes before every page', async () => {
    const ids = await spread(350);
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

  it('can be resumed from every Service-As-Of of a loop, and changes nothing in the database', async () => {
    const ids = await spread(230);
    const feed = (): Promise<object[]> =>
      world.database.query(
        'SELECT *, xmin::text FROM deal_sets.request_feed WHERE buyer_id = $1 ORDER BY 1, 2, 3',
        [anna.id],
      );
    const before = await feed();
    const pages = await world.drain(EPOCH, anna);
    for (const [i, page] of pages.entries()) {
      const rest = await world.drain(page.asOf, anna);
      expect(idsOf([...pages.slice(0, i + 1), ...rest])).toEqual([...ids].sort());
    }
    expect(await feed()).toEqual(before);
  });

  it('stamps hundreds of changes a second in strictly rising whole milliseconds', async () => {
    const [, id] = (await spread(2)) as [string, string];
    // The time of the stamp itself, before the transaction continues.
    await world.database.query(`
      CREATE TABLE stamping (at timestamptz, feed_at timestamptz);
      CREATE FUNCTION note_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO public.stamping VALUES (clock_timestamp(), NEW.feed_at); RETURN NULL; END $$;
      CREATE TRIGGER note_stamp AFTER UPDATE OF feed_at ON deal_sets.request_feed
        FOR EACH ROW EXECUTE FUNCTION note_stamp();`);
    for (let i = 0; i < 200; i++) await world.database.query(setPrice(id, i + 1000));
    // Two changes within a millisecond push the second one ahead of the clock; it then waits for
    // the clock.
    const [row] = await world.database.query(`
      SELECT count(DISTINCT feed_at)::integer AS stamps,
        count(*) FILTER (WHERE feed_at > at AND feed_at <> before + interval '1 ms')::integer AS late,
        count(*) FILTER (WHERE feed_at <> date_trunc('milliseconds', feed_at))::integer AS fine
      FROM (SELECT *, lag(feed_at) OVER (ORDER BY feed_at) AS before FROM stamping) s`);
    await world.database.query('DROP TRIGGER note_stamp ON deal_sets.request_feed');
    expect(row).toEqual({ stamps: 200, late: 0, fine: 0 });
  });

  it('loses nothing of a buyer whose newest change lies ahead of a clock that was set back', async () => {
    const { singles } = await world.loadHistory(anna, 140, 0);
    const [firstId, secondId] = singles as [string, string];
    await world.database.query(
      `UPDATE deal_sets.request_feed f SET feed_at = date_trunc('milliseconds', clock_timestamp()) + interval '10 seconds'
         + n * interval '1 millisecond'
       FROM (SELECT request_id, row_number() OVER (ORDER BY request_id) AS n FROM deal_sets.request_feed
         WHERE buyer_id = $1) r
       WHERE f.buyer_id = $1 AND r.request_id = f.request_id`,
      [anna.id],
    );
    const priceIn = (pages: readonly Poll[], id: string): unknown =>
      latestOf(pages).get(`single:${id}`)?.lowestWrittenOtdCents;
    const first = await world.poll(new Date(await world.databaseTime()).toISOString(), anna);
    expect(first).toMatchObject({ hasMore: true, asOf: first.entries.at(-1)!.latestActivityAt });
    await world.database.query(setPrice(firstId, 1));
    const rest = await world.drain(first.asOf, anna);
    expect(priceIn(rest, firstId)).toBe(1);
    expect(idsOf([first, ...rest])).toEqual([...singles].sort());
    await world.database.query(setPrice(secondId, 2));
    expect(priceIn(await world.drain(rest.at(-1)!.asOf, anna), secondId)).toBe(2);
  });
});

/** The grammar has its own suite beside `parseIsoTime`; the contract's suite has examples. */
it('a since of any text, escaped or not, gets 200 or 400', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((raw) => raw.replaceAll(/[#\s]/g, '')),
    fc
      .string({ unit: 'binary', maxLength: 40 })
      .map((raw) => encodeURIComponent(raw.toWellFormed())),
  );
  await fc.assert(
    fc.asyncProperty(text, async (since) => {
      const { status } = await world.service.get(`${PATH}?since=${since}`, anna.session);
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 50, seed: PROPERTY_SEED },
  );
});

it('a page and the plain list keep their orders under a plan that reads rows in another one', async () => {
  const database = await createTestDatabase();
  for (const setting of ['enable_nestloop', 'enable_hashjoin'])
    await database.query(`ALTER DATABASE ${database.name} SET ${setting} = off`);
  const other = await FeedWorld.start({ database, buyers: 1 });
  const { id: buyerId, session } = other.buyer;
  // A deal set and a single request of the same day, newest first.
  const days = Array.from({ length: 10 }, (_none, n) =>
    new Date(Date.UTC(2026, 0, 31 - n)).toISOString(),
  );
  const sets = days.map((at) => dealSet({ buyerId, createdAt: at, latestActivityAt: at }));
  const singles = days.map((at) => {
    const times = { requestedAt: at, latestActivityAt: at };
    return priceCheck({ buyerId, dealershipId: other.dealership.id, ...times });
  });
  await load(database, [...sets, ...singles], { isBackfill: true });
  const { body } = await other.service.get<{ data: Entry[] }>(PATH, session);
  expect(body.data.map(idOf)).toEqual([...sets, ...singles].map(({ id }) => id));
  const oldestFirst = sets
    .map(({ id }, n) => [id, singles[n]!.id])
    .toReversed()
    .flat();
  expect((await other.poll(EPOCH)).entries.map(idOf)).toEqual(oldestFirst);
  await other.stop();
  await database.drop();
});
