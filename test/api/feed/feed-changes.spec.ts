import { randomUUID } from 'node:crypto';
import { dealership, dealSet, load, priceCheck, written } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import {
  EPOCH,
  FeedWorld,
  insertReply,
  NO_MARGIN,
  PATH,
  idsOf,
  setPrice,
} from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';

const AT = '2026-02-01T00:00:00Z';

/** The requests of a buyer that the changes below affect, by their ids. */
interface Requests {
  readonly buyer: string;
  readonly set: string;
  readonly otherSet: string;
  readonly row: string;
  readonly hiddenRow: string;
  readonly single: string;
  readonly shop: string;
  readonly hiddenShop: string;
}

const question = (r: Requests, id: string): string =>
  `INSERT INTO deal_sets.question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
   VALUES ('${r.buyer}', gen_random_uuid(), '${id}', 'trade_in', 'Well?', 'text', now())`;
const draft = (r: Requests, id: string): string =>
  `INSERT INTO deal_sets.draft (buyer_id, id, price_check_id, body, created_at)
   VALUES ('${r.buyer}', gen_random_uuid(), '${id}', 'Thank you.', now())`;
const reply = (r: Requests, id: string): string => insertReply(r.buyer, id);
const update = (id: string, change: string): string =>
  `UPDATE deal_sets.price_check SET ${change} WHERE id = '${id}'`;
const ofDealSet = (r: Requests, change: string): string =>
  `UPDATE deal_sets.deal_set SET ${change} WHERE id = '${r.set}'`;
const ofDealership = (id: string, change: string): string =>
  `UPDATE deal_sets.dealership SET ${change} WHERE id = '${id}'`;

/** A change in plain SQL, the requests that it moves, and an optional preparation. */
type Change = readonly [
  what: string,
  sql: (r: Requests) => string,
  moved: (r: Requests) => readonly string[],
  before?: (r: Requests) => string,
];

const ofSet = (r: Requests): string[] => [r.set];
const ofSingle = (r: Requests): string[] => [r.single];

/** Every kind of change to the shown part of a request. */
const MOVES: readonly Change[] = [
  ['a price', (r) => update(r.row, 'otd_cents = 77'), ofSet],
  ['a price of a single', (r) => setPrice(r.single, 77), ofSingle],
  ['a selling price', (r) => update(r.row, 'selling_price_cents = 5'), ofSet],
  ['a price no longer in writing', (r) => update(r.row, 'written_at = NULL'), ofSet],
  ['an answer for another car', (r) => update(r.row, `answer = 'different_car'`), ofSet],
  ['an offer that is sent', (r) => update(r.single, 'finished_at = now()'), ofSingle],
  ['unlocking', (r) => update(r.hiddenRow, 'unlocked_at = now()'), ofSet],
  ['choosing', (r) => update(r.row, 'chosen_at = now()'), ofSet],
  ['archiving', (r) => update(r.row, 'archived_at = now()'), ofSet],
  ['archiving a single', (r) => update(r.single, 'archived_at = now()'), ofSingle],
  ['an ending', (r) => update(r.row, `ended = 'sold', ended_at = now()`), ofSet],
  ['a distance', (r) => update(r.row, 'distance_miles = 3'), ofSet],
  ['a listing', (r) => update(r.row, `listing_trim = 'Touring'`), ofSet],
  ['a listed price', (r) => update(r.single, 'listing_listed_at_cents = 2750000'), ofSingle],
  ['another dealership', (r) => update(r.row, `dealership_id = '${r.hiddenShop}'`), ofSet],
  [
    'another dealership of a hidden row',
    (r) => update(r.hiddenRow, `dealership_id = '${r.shop}'`),
    ofSet,
  ],
  ['the end of a deal set', (r) => ofDealSet(r, 'ended_at = now()'), ofSet],
  ['another car', (r) => ofDealSet(r, `car_trim = 'LX'`), ofSet],
  ['a wider search', (r) => ofDealSet(r, 'radius_miles = 250'), ofSet],
  ['dealerships found', (r) => ofDealSet(r, 'dealers_found = 9'), ofSet],
  ['a reply', (r) => reply(r, r.row), ofSet],
  ['a reply on a single', (r) => reply(r, r.single), ofSingle],
  ['a question', (r) => question(r, r.row), ofSet],
  [
    'an answered question',
    () => 'UPDATE deal_sets.question SET answered_at = now()',
    ofSet,
    (r) => question(r, r.row),
  ],
  ...[
    `prompt_id = 'another'`,
    `category = 'another'`,
    `answer_mode = 'another'`,
    `text_while_hidden = 'Well?'`,
  ].map((change): Change => [
    `a question with ${change}`,
    () => `UPDATE deal_sets.question SET ${change}`,
    ofSet,
    (r) => question(r, r.row),
  ]),
  [
    'a question that is withdrawn',
    () => 'DELETE FROM deal_sets.question',
    ofSingle,
    (r) => question(r, r.single),
  ],
  [
    'a question that moves to another row',
    (r) => `UPDATE deal_sets.question SET price_check_id = '${r.single}'`,
    (r) => [r.set, r.single],
    (r) => question(r, r.row),
  ],
  ['a draft', (r) => draft(r, r.single), ofSingle],
  [
    'a reworded draft',
    () => `UPDATE deal_sets.draft SET body = 'No.'`,
    ofSet,
    (r) => draft(r, r.row),
  ],
  [
    'a text of a draft that is cleared',
    () => `UPDATE deal_sets.draft SET body_while_hidden = 'Thank you.'`,
    ofSet,
    (r) => draft(r, r.hiddenRow),
  ],
  [
    'a resolved draft',
    () => 'UPDATE deal_sets.draft SET resolved_at = now()',
    ofSet,
    (r) => draft(r, r.row),
  ],
  [
    'an added member',
    (
      r,
    ) => `INSERT INTO deal_sets.price_check (buyer_id, id, deal_set_id, dealership_id, requested_at)
      SELECT buyer_id, '${randomUUID()}', id, '${r.shop}', now() FROM deal_sets.deal_set WHERE id = '${r.set}'`,
    ofSet,
  ],
  ['a removed member', (r) => `DELETE FROM deal_sets.price_check WHERE id = '${r.row}'`, ofSet],
  [
    'a member that moves to another deal set',
    (r) => update(r.row, `deal_set_id = '${r.otherSet}'`),
    (r) => [r.set, r.otherSet],
  ],
  [
    'a member that moves to another deal set with its thread',
    (r) => update(r.row, `deal_set_id = '${r.otherSet}'`),
    (r) => [r.set, r.otherSet],
    (r) => `${question(r, r.row)}; ${reply(r, r.row)}`,
  ],
  [
    'a member that becomes a single',
    (r) => update(r.row, 'deal_set_id = NULL'),
    (r) => [r.set, r.row],
    (r) => `${question(r, r.row)}; ${reply(r, r.row)}`,
  ],
  [
    'a single that becomes a member',
    (r) => update(r.single, `deal_set_id = '${r.set}'`),
    ofSet,
    (r) => `${question(r, r.single)}; ${draft(r, r.single)}`,
  ],
  ['a name that a listing contains', (r) => ofDealership(r.hiddenShop, `name = 'Kestrel'`), ofSet],
  [
    'a MERGE',
    (
      r,
    ) => `MERGE INTO deal_sets.price_check p USING (SELECT '${r.row}'::uuid AS id) s ON p.id = s.id
      WHEN MATCHED THEN UPDATE SET otd_cents = 31`,
    ofSet,
  ],
  [
    'an INSERT that conflicts with its row',
    (r) => `INSERT INTO deal_sets.deal_set (buyer_id, id, car_year, car_make, car_model, created_at)
      SELECT buyer_id, id, car_year, car_make, 'Pilot', created_at FROM deal_sets.deal_set WHERE id = '${r.set}'
      ON CONFLICT (buyer_id, id) DO UPDATE SET car_model = excluded.car_model`,
    ofSet,
  ],
];

/** Changes that are not shown. */
const STILL: readonly Change[] = [
  ['an update to the same values', (r) => update(r.row, 'otd_cents = otd_cents'), () => []],
  ['a name that is not shown', (r) => ofDealership(r.hiddenShop, `name = 'Fell Motors'`), () => []],
  ['a name that the buyer sees', (r) => ofDealership(r.shop, `name = 'Fell Motors'`), () => []],
  ['a partner status', () => 'UPDATE deal_sets.dealership SET verified_partner = true', () => []],
  [
    'an earlier time of a reply',
    () => `UPDATE deal_sets.reply SET feed_at = '2026-01-05T00:00:00Z'`,
    () => [],
    (r) => reply(r, r.row),
  ],
  ['a session that ends', () => 'UPDATE deal_sets.buyer_session SET revoked_at = NULL', () => []],
];

describe('the feed', () => {
  let world: FeedWorld;
  let anna: Reader;
  let made: Requests;
  let records: object[];

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 80, ...NO_MARGIN });
  });
  afterAll(() => world.stop());

  beforeEach(async () => {
    anna = world.unusedBuyer();
    const shop = dealership({ name: 'Lakeside Motors' });
    const hiddenShop = dealership({ name: 'Hill Road Autos' });
    const mine = { buyerId: anna.id, latestActivityAt: AT };
    const [set, otherSet] = [dealSet(mine), dealSet(mine)];
    const ofSet = { latestActivityAt: null, dealSetId: set.id };
    const seen = { ...mine, dealershipId: shop.id, unlockedAt: AT };
    const row = priceCheck({ ...seen, ...ofSet, ...written(100) });
    const hiddenRow = priceCheck({
      ...mine,
      ...ofSet,
      dealershipId: hiddenShop.id,
      ...written(200),
      listing: { trim: 'EX Kestrel edition', exteriorColor: 'red 555-0123' },
    });
    const single = priceCheck(seen);
    const all = { set, otherSet, row, hiddenRow, single, shop, hiddenShop };
    records = Object.values(all);
    await load(world.database, records, { isBackfill: true });
    const ids = Object.entries(all).map(([name, { id }]) => [name, id]);
    made = { ...(Object.fromEntries(ids) as Requests), buyer: anna.id };
  });

  async function idsChangedBy(act: () => Promise<unknown>): Promise<string[]> {
    const since = await world.latestWatermark(anna);
    const startedAt = await world.databaseTime();
    await act();
    const pages = await world.drain(since, anna);
    for (const { latestActivityAt } of pages.flatMap((page) => page.entries)) {
      expect(Date.parse(latestActivityAt!)).toBeGreaterThanOrEqual(Math.floor(startedAt));
    }
    return idsOf(pages);
  }

  /** The feed contains each of the buyer's requests once, and nothing else. */
  async function expectCompleteFeed(): Promise<void> {
    const rows = await world.database.query(
      `SELECT coalesce(f.request_id, r.id) AS id FROM deal_sets.request_feed f FULL JOIN (
         SELECT buyer_id, id, 'deal_set' AS kind FROM deal_sets.deal_set
         UNION ALL SELECT buyer_id, id, 'single' FROM deal_sets.price_check WHERE deal_set_id IS NULL
       ) r ON r.buyer_id = f.buyer_id AND r.id = f.request_id AND r.kind = f.kind
       WHERE f.request_id IS NULL OR r.id IS NULL OR f.is_marked`,
    );
    expect(rows).toEqual([]);
  }

  it.each([...MOVES, ...STILL].map(([what, ...rest]) => ({ what, rest })))(
    'moves exactly the affected requests: $what',
    async ({ rest: [sql, expected, before] }) => {
      if (before) {
        await world.database.client.query(before(made));
        await world.database.query('SELECT pg_sleep(0.005)');
      }
      expect(await idsChangedBy(() => world.database.query(sql(made)))).toEqual(
        [...expected(made)].sort(),
      );
      await expectCompleteFeed();
      await world.database.client.query(
        'DELETE FROM deal_sets.question; DELETE FROM deal_sets.draft',
      );
    },
  );

  it('does not move on an equal import, and moves what a changed import changes', async () => {
    expect(await idsChangedBy(() => load(world.database, records))).toEqual([]);
    const [set] = records;
    expect(await idsChangedBy(() => load(world.database, [{ ...set, dealersFound: 12 }]))).toEqual([
      made.set,
    ]);
  });

  it('keeps the times of back-filled history', async () => {
    const late = dealSet({ buyerId: anna.id, latestActivityAt: '2026-03-01T00:00:00Z' });
    const since = await world.latestWatermark(anna);
    await load(world.database, [late], { isBackfill: true });
    expect(await world.changedIdsSince(since, anna)).toEqual([]);
    expect(await world.changedIdsSince('2026-02-28T00:00:00Z', anna)).toEqual([late.id]);
  });

  it('returns a request again that is deleted and recreated', async () => {
    const moved = await idsChangedBy(async () => {
      await world.database.query('DELETE FROM deal_sets.price_check WHERE id = $1', [made.single]);
      await load(world.database, records);
    });
    expect(moved).toEqual([made.single]);
    await expectCompleteFeed();
  });

  it('signs out a buyer who is erased while polling, and keeps nothing', async () => {
    let isOver = false;
    const statuses = new Set<number>();
    const polling = [anna.session, anna.assistant].map(async (credential) => {
      while (!isOver) {
        statuses.add((await world.service.get(`${PATH}?since=${EPOCH}`, credential)).status);
      }
    });
    await eventually(() => expect([...statuses]).toEqual([200]));
    await world.database.query('DELETE FROM deal_sets.buyer WHERE id = $1', [anna.id]);
    await eventually(() => expect(statuses).toContain(401));
    isOver = true;
    await Promise.all(polling);
    expect([...statuses].sort()).toEqual([200, 401]);
    await expectCompleteFeed();
  });
});
