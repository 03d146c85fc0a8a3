import { dealership, dealSet, load, priceCheck, written } from '../../builders/index.js';
import { EPOCH, FeedWorld, idsOf, type FeedBuyer } from './feed-world.js';
import { MOVES, STILL, type Requests } from './moves.js';

describe('what moves a request in the feed', () => {
  let world: FeedWorld;
  let anna: FeedBuyer;
  let made: Requests;
  let records: object[];

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 80, env: { FEED_MARGIN_MS: '0' } });
  });
  afterAll(() => world.stop());

  beforeEach(async () => {
    anna = world.next();
    const at = { latestActivityAt: '2026-02-01T00:00:00Z' };
    const shop = dealership({ name: 'Lakeside Motors' });
    const hiddenShop = dealership({ name: 'Hill Road Autos' });
    const [set, otherSet] = [
      dealSet({ buyerId: anna.id, ...at }),
      dealSet({ buyerId: anna.id, ...at }),
    ];
    const mine = { buyerId: anna.id, ...at };
    const row = priceCheck({
      ...mine,
      dealSetId: set.id,
      dealershipId: shop.id,
      ...written(100),
      unlockedAt: at.latestActivityAt,
    });
    const hiddenRow = priceCheck({
      ...mine,
      dealSetId: set.id,
      dealershipId: hiddenShop.id,
      ...written(200),
      listing: { trim: 'EX Kestrel edition', exteriorColor: 'red 555-0123' },
    });
    const single = priceCheck({ ...mine, dealershipId: shop.id, unlockedAt: at.latestActivityAt });
    records = [shop, hiddenShop, set, otherSet, row, hiddenRow, single];
    await load(world.database, records, { isBackfill: true });
    made = {
      set: set.id,
      otherSet: otherSet.id,
      row: row.id,
      hiddenRow: hiddenRow.id,
      single: single.id,
      shop: shop.id,
      hiddenShop: hiddenShop.id,
    };
  });

  async function movedBy(act: () => Promise<unknown>): Promise<string[]> {
    const since = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    const startedAt = await world.databaseTime();
    await act();
    const pages = await world.drain(since, anna);
    for (const { latestActivityAt } of pages.flatMap((page) => page.entries)) {
      expect(Date.parse(latestActivityAt!)).toBeGreaterThanOrEqual(Math.floor(startedAt));
    }
    return idsOf(pages);
  }

  /** The feed holds the buyer's requests, each once, and nothing else. */
  async function expectFeedWhole(): Promise<void> {
    const rows = await world.database.query(
      `SELECT coalesce(f.request_id, r.id) AS id FROM request_feed f FULL JOIN (
         SELECT buyer_id, id, 'deal_set' AS kind FROM deal_set
         UNION ALL SELECT buyer_id, id, 'single' FROM price_check WHERE deal_set_id IS NULL
       ) r ON r.buyer_id = f.buyer_id AND r.id = f.request_id AND r.kind = f.kind
       WHERE f.request_id IS NULL OR r.id IS NULL OR f.is_pending`,
    );
    expect(rows).toEqual([]);
  }

  it.each([...MOVES, ...STILL].map(([what, ...rest]) => ({ what, rest })))(
    '$what',
    async ({ rest: [sql, expected, before] }) => {
      if (before) {
        await world.database.client.query(before(made));
        await world.database.query('SELECT pg_sleep(0.005)');
      }
      expect(await movedBy(() => world.database.query(sql(made)))).toEqual(
        [...expected(made)].sort(),
      );
      await expectFeedWhole();
      await world.database.client.query('DELETE FROM question; DELETE FROM draft');
    },
  );

  it('an equal import moves nothing, a changed one what it changes', async () => {
    expect(await movedBy(() => load(world.database, records))).toEqual([]);
    const [, , set] = records;
    expect(await movedBy(() => load(world.database, [{ ...set, dealersFound: 12 }]))).toEqual([
      made.set,
    ]);
  });

  it('back-filled history keeps its own times', async () => {
    const late = dealSet({ buyerId: anna.id, latestActivityAt: '2026-03-01T00:00:00Z' });
    const since = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    await load(world.database, [late], { isBackfill: true });
    expect(idsOf(await world.drain(since, anna))).toEqual([]);
    expect(idsOf(await world.drain('2026-02-28T00:00:00Z', anna))).toEqual([late.id]);
  });

  it('a request that is deleted and made again comes again', async () => {
    const moved = await movedBy(() =>
      world.database
        .query(
          `WITH gone AS (DELETE FROM price_check WHERE id = '${made.single}' RETURNING *) SELECT FROM gone`,
        )
        .then(() => load(world.database, [records.at(-1)!])),
    );
    expect(moved).toEqual([made.single]);
    await expectFeedWhole();
  });

  it('a buyer who is erased while she is polled is signed out, and leaves nothing', async () => {
    let isOver = false;
    const statuses = new Set<number>();
    const polling = Promise.all(
      [anna.session, anna.assistant].map(async (credential) => {
        while (!isOver)
          statuses.add(
            (await world.service.get(`/api/v1/deal-sets?since=${EPOCH}`, credential)).status,
          );
      }),
    );
    await world.database.query('SELECT pg_sleep(0.05)');
    await world.database.query('DELETE FROM buyer WHERE id = $1', [anna.id]);
    await world.database.query('SELECT pg_sleep(0.05)');
    isOver = true;
    await polling;
    expect([...statuses].sort()).toEqual([200, 401]);
    await expectFeedWhole();
  });
});
