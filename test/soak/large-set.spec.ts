import { dealership, dealSet, load, priceCheck, reply, written } from '../builders/index.js';
import { FeedWorld } from '../setup/feed-world.js';
import { modelRows } from '../api/feed/read-model-rows.js';

const MEMBERS = 20_000;

describe('a deal set of 20,000 rows', () => {
  let world: FeedWorld;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 1 });
  });
  afterAll(() => world.stop());

  it('is imported within 100 s, and its stored rows are those of the model', async () => {
    const buyerId = world.buyer.id;
    const set = dealSet({ buyerId });
    const shops = Array.from({ length: 50 }, (_, index) =>
      dealership({ name: `Harbour Street Motors ${index}` }),
    );
    const rows = Array.from({ length: MEMBERS }, (_, index) =>
      priceCheck({
        buyerId,
        dealSetId: set.id,
        dealershipId: shops[index % shops.length]!.id,
        ...(index % 3 === 0 ? written(3_000_000 + index) : {}),
      }),
    );
    const startedAt = performance.now();
    await load(world.database, [set, ...shops, ...rows]);
    const importedMs = performance.now() - startedAt;

    const listedAt = performance.now();
    const { body } = await world.service.get<{ data: [{ memberIds: string[] }] }>(
      '/api/v1/deal-sets',
      world.buyer.session,
    );
    expect(body.data[0].memberIds).toHaveLength(MEMBERS);
    const listedMs = performance.now() - listedAt;

    const changedAt = performance.now();
    await load(world.database, [reply({ priceCheckId: rows[0]!.id })]);
    const changedMs = performance.now() - changedAt;
    process.stdout.write(
      `20,000 members: imported in ${Math.round(importedMs)} ms, listed in ${Math.round(listedMs)} ms, one reply in ${Math.round(changedMs)} ms\n`,
    );
    expect(importedMs).toBeLessThan(100_000);
    const { stored, expected } = await modelRows(await world.writer());
    expect(stored).toEqual(expected);
  }, 180_000);
});
