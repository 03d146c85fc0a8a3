import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  priceCheck,
  question,
  reply,
  session,
  written,
} from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

interface Entry {
  readonly request_id: string;
  readonly kind: string;
  readonly feed_at: Date;
  readonly is_time_known: boolean;
}

describe('what an import does to the feed', () => {
  let database: TestDatabase;
  const anna = buyer();
  const ben = buyer();
  const shop = dealership({ name: 'Honda of Fremont' });
  const set = dealSet({ buyerId: anna.id, latestActivityAt: '2026-03-01T00:00:00Z' });
  const row = priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: shop.id,
    latestActivityAt: '2026-04-01T00:00:00Z',
  });
  const single = priceCheck({
    buyerId: anna.id,
    dealershipId: shop.id,
    latestActivityAt: '2026-03-02T00:00:00.7Z',
  });
  const history = [anna, ben, shop, set, row, single];

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function feed(): Promise<Record<string, Entry>> {
    const entries = await database.query<Entry & { is_pending: boolean }>(
      'SELECT request_id, kind, feed_at, is_time_known, is_pending FROM request_feed',
    );
    expect(entries.filter(({ is_pending }) => is_pending)).toEqual([]);
    return Object.fromEntries(entries.map((entry) => [entry.request_id, entry]));
  }
  const at = async (id: string): Promise<string | undefined> =>
    (await feed())[id]?.feed_at.toISOString();

  describe('as a backfill', () => {
    it("takes the time of the request's own record, and of no member's", async () => {
      await load(database, history, { isBackfill: true });
      const entries = await feed();
      expect(Object.keys(entries).sort()).toEqual([set.id, single.id].sort());
      expect(entries[set.id]).toMatchObject({ kind: 'deal_set', is_time_known: true });
      expect(await at(set.id)).toBe('2026-03-01T00:00:00.000Z');
      expect(entries[single.id]).toMatchObject({ kind: 'single', is_time_known: true });
      expect(await at(single.id)).toBe('2026-03-02T00:00:00.700Z');
    });

    it('places a request of unknown time where it is recorded', async () => {
      const started = Date.now() - 2_000;
      const unknown = dealSet({ buyerId: anna.id });
      await load(database, [anna, unknown], { isBackfill: true });
      const entry = (await feed())[unknown.id]!;
      expect(entry.is_time_known).toBe(false);
      expect(entry.feed_at.getTime()).toBeGreaterThan(started);
    });

    it('moves a request forward when its record gives a later time, and never back', async () => {
      await load(database, history, { isBackfill: true });
      await load(database, [{ ...set, latestActivityAt: '2026-02-01T00:00:00Z' }], {
        isBackfill: true,
      });
      expect(await at(set.id)).toBe('2026-03-01T00:00:00.000Z');
      await load(database, [{ ...set, latestActivityAt: '2026-05-01T00:00:00Z' }], {
        isBackfill: true,
      });
      expect(await at(set.id)).toBe('2026-05-01T00:00:00.000Z');
      await load(database, [{ ...set, latestActivityAt: null }], { isBackfill: true });
      expect(await at(set.id)).toBe('2026-05-01T00:00:00.000Z');
    });

    it('lets members, questions, drafts and replies leave the request where it is', async () => {
      await load(database, history, { isBackfill: true });
      const before = await feed();
      await load(
        database,
        [
          { ...row, ...written(5), latestActivityAt: '2026-06-01T00:00:00Z' },
          priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: shop.id }),
          question({ priceCheckId: row.id }),
          draft({ priceCheckId: single.id }),
          reply({ priceCheckId: single.id }),
        ],
        { isBackfill: true },
      );
      expect(await feed()).toEqual(before);
    });

    it('gives requests of unknown time at most 100 to a stamp', async () => {
      const sets = Array.from({ length: 250 }, () => dealSet({ buyerId: anna.id }));
      await load(database, [anna, ...sets], { isBackfill: true });
      const ties = await database.query<{ count: string }>(
        'SELECT count(*) FROM request_feed GROUP BY feed_at ORDER BY feed_at',
      );
      expect(ties.map(({ count }) => count)).toEqual(['100', '100', '50']);
    });
  });

  describe('live', () => {
    beforeEach(() => load(database, history, { isBackfill: true }).then(() => undefined));

    async function moved(records: readonly object[]): Promise<string[]> {
      const before = await feed();
      const startedAt = await databaseTime(database);
      await load(database, records);
      const after = await feed();
      return Object.keys(after).filter((id) => {
        if (before[id]?.feed_at.getTime() === after[id]!.feed_at.getTime()) return false;
        expect(after[id]!.feed_at.getTime()).toBeGreaterThanOrEqual(startedAt - 1);
        expect(after[id]!.is_time_known).toBe(true);
        return true;
      });
    }

    it('stamps a new request now, regardless of times in the file', async () => {
      const late = dealSet({ buyerId: anna.id, latestActivityAt: '2020-01-01T00:00:00Z' });
      expect(await moved([late])).toEqual([late.id]);
    });

    it.each([
      ['a change to the deal set', () => [{ ...set, dealersFound: 99 }], [set.id]],
      ['a change to a member', () => [{ ...row, ...written(7) }], [set.id]],
      [
        'a new member',
        () => [priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: shop.id })],
        [set.id],
      ],
      [
        'a change to a single',
        () => [{ ...single, archivedAt: '2026-05-01T00:00:00Z' }],
        [single.id],
      ],
      ['a new question', () => [question({ priceCheckId: row.id })], [set.id]],
      ['a new draft', () => [draft({ priceCheckId: single.id })], [single.id]],
      ['a new reply', () => [reply({ priceCheckId: single.id })], [single.id]],
    ])('stamps the request for %s', async (_what, records, expected) => {
      expect(await moved(records())).toEqual(expected);
    });

    it('stamps nothing for equal records, regardless of their times', async () => {
      expect(
        await moved([...history, { ...set, latestActivityAt: '2026-06-01T00:00:00Z' }]),
      ).toEqual([]);
    });

    it('stamps nothing for people: buyers, sessions, grants', async () => {
      const people = [
        { ...anna, changesGranted: true },
        session({ buyerId: anna.id }),
        grant({ buyerId: anna.id }),
      ];
      expect(await moved(people)).toEqual([]);
    });

    it('stamps nothing for a dealership whose new name is not shown, else the requests that show it', async () => {
      expect(await moved([{ ...shop, name: 'Fremont Honda' }])).toEqual([]);
      await load(database, [{ ...single, unlockedAt: '2026-05-01T00:00:00Z' }]);
      expect(await moved([{ ...shop, name: 'Honda at Fremont' }])).toEqual([single.id]);
    });

    it('hides a listing part that contains the new name of a dealership', async () => {
      await load(database, [{ ...row, listing: { trim: 'EX-L Lakeside Motors' } }]);
      const trim = (): Promise<object[]> =>
        database.query('SELECT shown_trim FROM price_check WHERE id = $1', [row.id]);
      expect(await trim()).toEqual([{ shown_trim: 'EX-L Lakeside Motors' }]);
      expect(await moved([{ ...shop, name: 'Lakeside Motors' }])).toEqual([set.id]);
      expect(await trim()).toEqual([{ shown_trim: null }]);
    });

    it('stamps both requests when a price check moves from one to the other', async () => {
      await load(database, [question({ priceCheckId: row.id }), reply({ priceCheckId: row.id })]);
      const other = dealSet({ buyerId: anna.id });
      await load(database, [other]);
      expect((await moved([{ ...row, dealSetId: other.id }])).sort()).toEqual(
        [set.id, other.id].sort(),
      );
      const requests = await database.query(
        'SELECT request_id FROM question UNION SELECT request_id FROM reply',
      );
      expect(requests).toEqual([{ request_id: other.id }]);
    });

    it('takes a single out of the feed when it becomes a row of a deal set, and back', async () => {
      expect(await moved([{ ...single, dealSetId: set.id }])).toEqual([set.id]);
      expect(Object.keys(await feed())).toEqual([set.id]);
      expect((await moved([single])).sort()).toEqual([set.id, single.id].sort());
      expect((await feed())[single.id]).toMatchObject({ kind: 'single' });
    });
  });
});

async function databaseTime(database: TestDatabase): Promise<number> {
  const [row] = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row!.now.getTime();
}
