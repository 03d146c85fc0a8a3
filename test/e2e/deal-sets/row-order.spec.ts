import type { ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { dealSet, load, priceCheck } from '../../builders/index.js';
import { createTestDatabase } from '../../setup/test-database.js';
import { LIST } from '../../setup/http-call.js';
import { EPOCH, FeedWorld } from '../feed/feed-world.js';

const idOf = (entry: { dealSetId?: string; id?: string }): string =>
  entry.dealSetId ?? entry.id ?? '';

describe('a plan that reads rows in another order than that of the index', () => {
  let world: FeedWorld;
  /** A deal set and a single request of the same minute, newest first. */
  const pairs: [string, string][] = [];

  beforeAll(async () => {
    const database = await createTestDatabase();
    for (const setting of ['enable_nestloop', 'enable_hashjoin']) {
      await database.query(`ALTER DATABASE ${database.name} SET ${setting} = off`);
    }
    world = await FeedWorld.start({ database, buyers: 1 });
    const { shop, anna } = world;
    const minute = (index: number): string => `2026-01-01T10:${String(30 - index)}:00Z`;
    const sets = Array.from({ length: 10 }, (_none, index) =>
      dealSet({ buyerId: anna.id, createdAt: minute(index), latestActivityAt: minute(index) }),
    );
    const singles = Array.from({ length: 10 }, (_none, index) =>
      priceCheck({
        buyerId: anna.id,
        dealershipId: shop.id,
        requestedAt: minute(index),
        latestActivityAt: minute(index),
      }),
    );
    await load(database, [...sets, ...singles], { isBackfill: true });
    pairs.push(...sets.map(({ id }, index): [string, string] => [id, singles[index]!.id]));
  });
  afterAll(() => world.stop());

  it('changes nothing in the list: deal sets, then single requests, each newest first', async () => {
    const { body } = await world.service.get<{ data: ListEntry[] }>(LIST, world.anna.session);
    expect(body.data.map(idOf)).toEqual([
      ...pairs.map(([set]) => set),
      ...pairs.map(([, single]) => single),
    ]);
  });

  it('changes nothing in the feed: the oldest change first', async () => {
    const [page] = await world.drain(EPOCH);
    expect(page!.entries.map(idOf)).toEqual(pairs.toReversed().flat());
  });
});
