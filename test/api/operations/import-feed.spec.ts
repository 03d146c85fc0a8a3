import {
  buyer,
  buyerWithRequests,
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

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The effect of an import on the feed; `feed/feed-changes.suite.ts` tests every kind of change. */
describe('the feed after an import', () => {
  interface Entry {
    readonly kind: string;
    readonly at: string;
    readonly isTimeKnown: boolean;
  }
  async function feedOf(buyerId: string): Promise<Record<string, Entry>> {
    const rows = await database.query<{
      id: string;
      kind: string;
      feed_at: Date;
      is_time_known: boolean;
      is_marked: boolean;
    }>(
      'SELECT request_id AS id, kind, feed_at, is_time_known, is_marked FROM deal_sets.request_feed WHERE buyer_id = $1',
      [buyerId],
    );
    expect(rows.filter((row) => row.is_marked)).toEqual([]);
    return Object.fromEntries(
      rows.map(({ id, kind, feed_at, is_time_known: isTimeKnown }) => [
        id,
        { kind, at: feed_at.toISOString(), isTimeKnown },
      ]),
    );
  }
  const backfill = (records: readonly object[]) => load(database, records, { isBackfill: true });

  it('gives a back-filled request the time of its own record, not of its rows', async () => {
    const { anna, set, single, records } = buyerWithRequests();
    await backfill(records);
    expect(await feedOf(anna.id)).toEqual({
      [set.id]: { kind: 'deal_set', at: '2026-03-01T00:00:00.000Z', isTimeKnown: true },
      [single.id]: { kind: 'single', at: '2026-03-02T00:00:00.700Z', isTimeKnown: true },
    });
  });

  it('stamps an old request that a backfill changes like any change, and no other', async () => {
    const { anna, keys, set, row, single, records } = buyerWithRequests();
    await backfill(records);
    const before = await feedOf(anna.id);
    await backfill(records);
    await backfill([{ ...set, latestActivityAt: '2026-05-01T00:00:00Z' }]);
    await backfill([{ ...set, latestActivityAt: null }]);
    expect(await feedOf(anna.id)).toEqual(before);
    for (const change of [
      { ...row, ...written(5) },
      priceCheck({ ...keys, dealSetId: set.id }),
      question({ priceCheckId: row.id }),
      draft({ priceCheckId: row.id }),
      reply({ priceCheckId: row.id }),
    ]) {
      const startedAt = Date.now() - 1_000;
      const [record, file] = [(await feedOf(anna.id))[set.id]!, [...records, change]];
      await backfill(file);
      const after = await feedOf(anna.id);
      expect(after[single.id]).toEqual(before[single.id]);
      expect(Date.parse(after[set.id]!.at)).toBeGreaterThan(
        Math.max(startedAt, Date.parse(record.at)),
      );
    }
  });

  it('stamps a request that a price check of another request becomes in a backfill', async () => {
    const { anna, set, row, records } = buyerWithRequests();
    await backfill(records);
    const startedAt = Date.now() - 1_000;
    await backfill([{ ...row, dealSetId: null, latestActivityAt: '2026-02-01T00:00:00Z' }]);
    const after = await feedOf(anna.id);
    for (const id of [set.id, row.id]) {
      expect(Date.parse(after[id]!.at)).toBeGreaterThan(startedAt);
    }
  });

  it('places back-filled requests of unknown time where they are recorded, at most 100 per stamp', async () => {
    const startedAt = Date.now() - 2_000;
    const anna = buyer();
    const sets = Array.from({ length: 250 }, () => dealSet({ buyerId: anna.id }));
    await backfill([anna, ...sets]);
    const entries = Object.values(await feedOf(anna.id));
    expect(entries.filter(({ isTimeKnown }) => isTimeKnown)).toEqual([]);
    const stamps = [...new Set(entries.map(({ at }) => at))].sort();
    expect(Date.parse(stamps[0]!)).toBeGreaterThan(startedAt);
    expect(stamps.map((stamp) => entries.filter(({ at }) => at === stamp).length)).toEqual([
      100, 100, 50,
    ]);
  });

  it('places what a live import added or changed at the current time, regardless of times in the file', async () => {
    const { anna, set, single, records } = buyerWithRequests();
    await backfill(records);
    const before = await feedOf(anna.id);
    const late = dealSet({ buyerId: anna.id, latestActivityAt: '2020-01-01T00:00:00Z' });
    const recordsOfPeople = [
      { ...anna, changesGranted: true },
      session({ buyerId: anna.id }),
      grant({ buyerId: anna.id }),
    ];
    // Records that differ only in their times, and records of people, move nothing.
    await load(database, [
      ...records,
      ...recordsOfPeople,
      { ...set, latestActivityAt: '2026-06-01T00:00:00Z' },
    ]);
    expect(await feedOf(anna.id)).toEqual(before);
    const startedAt = Date.now() - 1_000;
    await load(database, [late, reply({ priceCheckId: single.id })]);
    const after = await feedOf(anna.id);
    expect(after[set.id]).toEqual(before[set.id]);
    for (const id of [late.id, single.id]) {
      expect(after[id]).toMatchObject({ isTimeKnown: true });
      expect(Date.parse(after[id]!.at)).toBeGreaterThan(startedAt);
    }
  });

  it('omits, for polling clients, back-filled new requests of known time for existing buyers', async () => {
    const { anna, shop, keys, set, row, single } = buyerWithRequests();
    const ben = buyer();
    await load(database, [anna, shop]);
    const file = [
      ...[ben, set, row, single],
      dealSet({ buyerId: anna.id }),
      dealSet({ buyerId: ben.id, latestActivityAt: '2026-02-01T00:00:00Z' }),
      priceCheck({ ...keys, dealSetId: set.id }),
    ];
    const dryRun = await load(database, file, { isBackfill: true, isDryRun: true });
    expect(dryRun).toMatchObject({ missedByPolls: 2 });
    expect(await backfill(file)).toMatchObject({ missedByPolls: 2 });
    expect(await backfill(file)).toMatchObject({ missedByPolls: 0 });
    expect(await load(database, file)).not.toHaveProperty('missedByPolls');
  });
});
