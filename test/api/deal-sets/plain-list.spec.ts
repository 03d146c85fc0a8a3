import type { ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  load,
  priceCheck,
  signIn,
} from '../../builders/index.js';
import { createTestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const day = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString();

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

/** A buyer with so many requests of each standing; the later their number, the newer they are. */
async function someone(counts: {
  sets?: number;
  singles?: number;
  endedSets?: number;
  endedSingles?: number;
}) {
  const anna = buyer({ changesGranted: true });
  const motors = dealership();
  const { record, cookie } = signIn(anna.id);
  const make = <T>(count: number | undefined, one: (n: number) => T): T[] =>
    Array.from({ length: count ?? 0 }, (_, n) => one(n));
  const sets = make(counts.sets, (n) => dealSet({ buyerId: anna.id, createdAt: day(n) }));
  const singles = make(counts.singles, (n) =>
    priceCheck({ buyerId: anna.id, dealershipId: motors.id, requestedAt: day(n) }),
  );
  await load(service.database, [
    anna,
    motors,
    record,
    grant({ buyerId: anna.id }),
    // Loaded in an order of their own: only the times may decide.
    ...[...sets].reverse(),
    ...[...singles].reverse(),
    ...make(counts.endedSets, (n) =>
      dealSet({ buyerId: anna.id, createdAt: day(500 + n), endedAt: day(501 + n) }),
    ),
    ...make(counts.endedSingles, (n) =>
      priceCheck({
        buyerId: anna.id,
        dealershipId: motors.id,
        requestedAt: day(500 + n),
        ...(n % 2 ? { ended: 'sold' } : { archivedAt: day(600) }),
      }),
    ),
  ]);
  const credential = { cookie };
  const list = async (
    query = '',
  ): Promise<{ ids: string[]; entries: ListEntry[]; more: unknown; asOf: unknown }> => {
    const { body, headers, status } = await service.get<{ data: ListEntry[] }>(
      `/api/v1/deal-sets${query}`,
      credential,
    );
    expect(status).toBe(200);
    return {
      ids: body.data.map((entry) => (entry.kind === 'deal_set' ? entry.dealSetId : entry.id)),
      entries: body.data,
      more: headers['service-more'],
      asOf: headers['service-as-of'],
    };
  };
  return { anna, sets, singles, list };
}

const newestFirst = (records: readonly { id: string }[], most: number): string[] =>
  records
    .map((record) => record.id)
    .reverse()
    .slice(0, most);

describe('the plain list', () => {
  it('is empty for a buyer without requests', async () => {
    const { list } = await someone({});
    expect(await list()).toEqual({ ids: [], entries: [], more: 'false', asOf: undefined });
  });

  it('has deal sets newest created first, then single requests newest requested first', async () => {
    const { list, sets, singles } = await someone({ sets: 3, singles: 4 });
    expect((await list()).ids).toEqual([...newestFirst(sets, 3), ...newestFirst(singles, 4)]);
  });

  it('holds exactly 12 and 25 without saying that more were left out', async () => {
    const { list, sets, singles } = await someone({ sets: 12, singles: 25 });
    const { ids, more } = await list();
    expect(ids).toEqual([...newestFirst(sets, 12), ...newestFirst(singles, 25)]);
    expect(more).toBe('false');
  });

  it('leaves the oldest deal set out beyond 12, and says so', async () => {
    const { list, sets } = await someone({ sets: 13, singles: 1 });
    const { ids, more } = await list();
    expect(ids.slice(0, 12)).toEqual(newestFirst(sets, 12));
    expect([ids.length, more]).toEqual([13, 'true']);
  });

  it('leaves the oldest single request out beyond 25, and says so', async () => {
    const { list, singles } = await someone({ singles: 26 });
    expect(await list()).toMatchObject({ ids: newestFirst(singles, 25), more: 'true' });
  });

  it('never counts ended requests as left out, however many there are, nor shows them', async () => {
    const { list, sets, singles } = await someone({
      sets: 12,
      singles: 25,
      endedSets: 30,
      endedSingles: 60,
    });
    const { ids, more, entries } = await list();
    expect(ids).toEqual([...newestFirst(sets, 12), ...newestFirst(singles, 25)]);
    expect(more).toBe('false');
    expect(entries.some((entry) => entry.section === 'inactive')).toBe(false);
  });

  it('has neither Service-As-Of nor changes, granted or not', async () => {
    const { anna, list } = await someone({ sets: 1, singles: 1 });
    expect((await list()).asOf).toBeUndefined();
    const { body, headers } = await service.get<{ data: ListEntry[] }>(
      '/api/v1/deal-sets',
      await service.tokenFor(anna.id),
    );
    expect(headers['service-as-of']).toBeUndefined();
    expect(body.data.some((entry) => 'changes' in entry)).toBe(false);
    expect(body.data).toHaveLength(2);
  });

  it('ignores unknown query names', async () => {
    const { list, sets } = await someone({ sets: 1 });
    expect((await list('?limit=0&SINCE=never&since%5B%5D=x&__proto__=1')).ids).toEqual([
      sets[0]!.id,
    ]);
  });

  it('never holds another buyer’s requests', async () => {
    const [one, other] = [await someone({ sets: 2 }), await someone({ sets: 2 })];
    expect((await one.list()).ids).toEqual(newestFirst(one.sets, 2));
    expect((await other.list()).ids).toEqual(newestFirst(other.sets, 2));
  });

  it('keeps its order, and the feed its own, under a plan that reads rows in another order', async () => {
    const database = await createTestDatabase();
    for (const setting of ['enable_nestloop', 'enable_hashjoin'])
      await database.query(`ALTER DATABASE ${database.name} SET ${setting} = off`);
    const anna = buyer();
    const shop = dealership();
    const { record, cookie } = signIn(anna.id);
    // A deal set and a single request of the same day, newest first.
    const days = Array.from({ length: 10 }, (_none, n) => day(30 - n));
    const sets = days.map((createdAt) =>
      dealSet({ buyerId: anna.id, createdAt, latestActivityAt: createdAt }),
    );
    const singles = days.map((requestedAt) =>
      priceCheck({
        buyerId: anna.id,
        dealershipId: shop.id,
        requestedAt,
        latestActivityAt: requestedAt,
      }),
    );
    await load(database, [anna, shop, record, ...sets, ...singles], { isBackfill: true });
    const other = await TestService.start({ database });
    const read = async (query: string): Promise<string[]> =>
      (
        await other.get<{ data: ListEntry[] }>(`/api/v1/deal-sets${query}`, { cookie })
      ).body.data.map((entry) => (entry.kind === 'deal_set' ? entry.dealSetId : entry.id));
    expect(await read('')).toEqual([...sets, ...singles].map(({ id }) => id));
    expect(await read('?since=1970-01-01T00:00:00Z')).toEqual(
      sets
        .map(({ id }, n) => [id, singles[n]!.id])
        .toReversed()
        .flat(),
    );
    await other.stop();
    await database.drop();
  });
});
