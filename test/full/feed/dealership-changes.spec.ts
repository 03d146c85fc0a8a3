import { dealership, dealSet, load, priceCheck, written } from '../../builders/index.js';
import { FeedWorld, NO_MARGIN, PATH, setPrice } from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';

const AT = '2026-02-01T00:00:00Z';
const TRIM = 'EX Kestrel edition';

/** One change of a dealership reaches its price checks, but moves only requests that show less. */
describe('a change of a dealership', () => {
  let world: FeedWorld;
  let anna: Reader;
  let shop: string;
  let set: string;
  let single: string;
  let since: string;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 20, ...NO_MARGIN });
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    anna = world.unusedBuyer();
    const made = dealership({ name: 'Hill Road Autos' });
    const inFeed = { buyerId: anna.id, latestActivityAt: AT };
    const hidden = { ...inFeed, dealershipId: made.id, ...written(5) };
    const ofSet = dealSet(inFeed);
    const listing = { year: 2025, make: 'Honda', model: 'Civic', trim: TRIM };
    const member = priceCheck({ ...hidden, latestActivityAt: null, dealSetId: ofSet.id, listing });
    const alone = priceCheck({ ...hidden, listing });
    await load(world.database, [made, ofSet, member, alone], { isBackfill: true });
    [shop, set, single] = [made.id, ofSet.id, alone.id];
    since = await world.latestWatermark(anna);
  });
  afterEach(async () => {
    await world.rollback();
    // The name of a hidden dealership must not be in any response, but the trim was shown before.
    await world.database.query(rename('Fell Motors'));
  });

  const rename = (name = 'Kestrel'): string =>
    `UPDATE deal_sets.dealership SET name = '${name}' WHERE id = '${shop}'`;
  const stamps = (): Promise<object[]> =>
    world.database.query(
      `SELECT request_id, feed_at, is_marked FROM deal_sets.request_feed
       WHERE buyer_id = $1 ORDER BY request_id`,
      [anna.id],
    );
  const responses = async (): Promise<string[]> => {
    const answers = [];
    for (const credential of [anna.session, anna.assistant]) {
      for (const path of [PATH, `${PATH}?since=${AT.replace('01T', '00T')}`, `${PATH}/${set}`])
        answers.push((await world.service.get(path, credential)).text);
    }
    return answers;
  };
  const parts = async (): Promise<unknown> =>
    (
      await world.database.query(
        `SELECT array_agg(shown_trim) AS trims FROM deal_sets.price_check WHERE buyer_id = $1`,
        [anna.id],
      )
    )[0]!['trims'];

  it('withholds a trim that contains the new name from every response, and moves its requests', async () => {
    expect((await responses())[0]).toContain(TRIM);
    await world.database.query(rename());
    for (const text of await responses()) expect(text).not.toContain('Kestrel');
    expect(await parts()).toEqual([null, null]);
    expect(await world.changedIdsSince(since, anna)).toEqual([set, single].sort());
  });

  it('shows no trim again when the name no longer contains it', async () => {
    await world.database.query(rename());
    const before = await stamps();
    await world.database.query(rename('Fell Motors'));
    expect(await parts()).toEqual([null, null]);
    expect(await stamps()).toEqual(before);
  });

  it.each([
    ['before', (change: string) => [rename(), change]],
    ['after', (change: string) => [change, rename()]],
  ])('is stamped once with a change of a row %s it', async (_order, inOrder) => {
    const writer = await world.writer();
    await writer.query(`BEGIN; ${inOrder(setPrice(single, 77)).join('; ')}; COMMIT`);
    expect(await world.changedIdsSince(since, anna)).toEqual([set, single].sort());
    for (const text of await responses()) expect(text).not.toContain('Kestrel');
  });

  it('shows its new name without a stamp to a buyer who sees the name', async () => {
    await world.database.query(
      'UPDATE deal_sets.price_check SET unlocked_at = now() WHERE id = $1',
      [single],
    );
    const before = await stamps();
    await world.database.query(rename('Fell Motors'));
    expect(await stamps()).toEqual(before);
    expect((await responses())[0]).toContain('"dealerLabel":"Fell Motors"');
  });

  it('changes the partner flag of every row and moves no request', async () => {
    const before = await stamps();
    await world.database.query(
      `UPDATE deal_sets.dealership SET verified_partner = true WHERE id = '${shop}'`,
    );
    const flags = await world.database.query(
      'SELECT DISTINCT shown_verified_partner AS flag FROM deal_sets.price_check WHERE buyer_id = $1',
      [anna.id],
    );
    expect(flags).toEqual([{ flag: true }]);
    expect(await stamps()).toEqual(before);
  });

  it('is followed by an import of the dealership', async () => {
    await load(world.database, [dealership({ id: shop, name: 'Kestrel', verifiedPartner: true })]);
    expect(await parts()).toEqual([null, null]);
    expect(await world.changedIdsSince(since, anna)).toEqual([set, single].sort());
  });
});
