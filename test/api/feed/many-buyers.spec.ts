import type { Client } from 'pg';
import {
  buyer,
  dealership,
  dealSet,
  insert,
  insertHistory,
  priceCheck,
  signIn,
  written,
} from '../../builders/index.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import {
  EPOCH,
  FeedWorld,
  insertReply,
  insertSingle,
  latestOf,
  NO_MARGIN,
  pastStamp,
  setPrice,
  STAMP,
} from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';

const rename = (id: string, name: string): string =>
  `UPDATE deal_sets.dealership SET name = '${name}' WHERE id = '${id}'`;

/** One change of a dealership, or one import, moves requests of many buyers. */
describe('a writer of many buyers', () => {
  let world: FeedWorld;
  let buyers: Reader[];
  let shop: string;
  let singles: string[];
  let sets: string[];
  let writer: Client;
  let two: Client;

  beforeAll(async () => {
    world = await FeedWorld.start(NO_MARGIN);
    writer = await world.writer();
    two = await world.writer();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    buyers = [world.unusedBuyer(), world.unusedBuyer()];
    const seen = dealership({ name: 'Lakeside Motors' });
    const at = { latestActivityAt: '2026-02-01T00:00:00Z' };
    const made = buyers.map(({ id: buyerId }) => {
      const set = dealSet({ buyerId, ...at });
      // A renaming to Fell Motors withholds the trim.
      const listing = { year: 2025, model: 'CR-V', trim: 'Fell Motors Edition' };
      const unlockedAt = at.latestActivityAt;
      const single = { buyerId, dealershipId: seen.id, listing, unlockedAt, ...at };
      return [
        set,
        priceCheck({ ...single, latestActivityAt: null, dealSetId: set.id, ...written(5) }),
        priceCheck(single),
      ] as const;
    });
    await insertHistory(world.database, [seen, ...made.flat()]);
    shop = seen.id;
    sets = made.map(([set]) => set.id);
    singles = made.map(([, , single]) => single.id);
  });
  afterEach(() => world.rollback());

  const latestWatermarks = (): Promise<string[]> =>
    Promise.all(buyers.map((reader) => world.latestWatermark(reader)));
  /** What the next poll of each buyer contains of that buyer's single request. */
  const singlesSince = (since: readonly string[]): Promise<unknown[]> =>
    Promise.all(
      buyers.map(async (reader, i) =>
        latestOf(await world.drain(since[i]!, reader)).get(`single:${singles[i]}`),
      ),
    );

  it('moves the requests of every buyer whose listing contains the new name', async () => {
    const since = await latestWatermarks();
    await writer.query(rename(shop, 'Fell Motors'));
    for (const [i, reader] of buyers.entries()) {
      expect(await world.changedIdsSince(since[i]!, reader)).toEqual([singles[i], sets[i]].sort());
    }
  });

  it('holds the Service-As-Of of all buyers between its stamp and its commit, and delivers to all', async () => {
    await writer.query(`BEGIN; ${rename(shop, 'Fell Motors')}; ${STAMP}`);
    await pastStamp();
    const since = await latestWatermarks();
    await writer.query('COMMIT');
    expect(await singlesSince(since)).toMatchObject(Array(2).fill({ dealerLabel: 'Fell Motors' }));
  });

  it('does not hold any Service-As-Of before its commit begins', async () => {
    await writer.query(`BEGIN; ${rename(shop, 'Fell Motors')}`);
    const [id, insert] = insertSingle(world, buyers[1]);
    const since = await world.latestWatermark(buyers[1]);
    await two.query(insert);
    expect(await world.changedIdsSince(since, buyers[1])).toEqual([id]);
    const before = await world.databaseTime();
    expect(Date.parse(await world.latestWatermark(buyers[1]))).toBeGreaterThan(before - 100);
  });

  it('changes requests in the order of their ids, in any order on disk', async () => {
    const first = buyers[0]!.id < buyers[1]!.id ? 0 : 1;
    const reply = (i: number): string => insertReply(buyers[i]!.id, singles[i]!);
    // Moves the rows of the first buyer after those of the second on disk.
    const other = dealership();
    await insert(world.database, [other]);
    for (const to of [other.id, shop]) {
      await world.database.query(
        'UPDATE deal_sets.price_check SET dealership_id = $1 WHERE buyer_id = $2',
        [to, buyers[first]!.id],
      );
    }
    await writer.query(`BEGIN; ${reply(first)}`);
    const renaming = two.query(rename(shop, 'Fell Motors'));
    await untilLockWaits(world.database);
    await writer.query(reply(1 - first));
    await writer.query('COMMIT');
    await renaming;
  });

  it('runs beside ordinary writers and clients without a deadlock, and loses nothing', async () => {
    let isOver = false;
    const rejectionCodes: string[] = [];
    const inOrder = buyers[0]!.id < buyers[1]!.id ? sets : sets.toReversed();
    const ofMany = (n: number): string =>
      inOrder
        .map((id) => `UPDATE deal_sets.deal_set SET dealers_found = ${n} WHERE id = '${id}'`)
        .join(';');
    const statements: ((n: number) => string)[] = [
      (n) => rename(shop, `Fell ${n}`),
      (n) => `BEGIN; ${ofMany(n)}; ${STAMP}; COMMIT`,
      ...singles.map((id) => (n: number) => setPrice(id, n)),
      ...singles.map((id, i) => () => insertReply(buyers[i]!.id, id)),
    ];
    const since = await latestWatermarks();
    const writing = statements.map(async (statement) => {
      const client = await world.writer();
      for (let n = 0; n < 50; n++) {
        await client.query(statement(n)).catch(async (error: unknown) => {
          rejectionCodes.push((error as { code: string }).code);
          await client.query('ROLLBACK');
        });
      }
    });
    const polling = buyers.map(async (reader, i) => {
      while (!isOver) since[i] = (await world.poll(since[i]!, reader)).asOf;
    });
    await Promise.all(writing);
    isOver = true;
    await Promise.all(polling);
    expect(rejectionCodes).toEqual([]);
    for (const id of singles) await world.database.query(setPrice(id, 4_242));
    expect(await singlesSince(since)).toMatchObject(
      Array(2).fill({ lowestWrittenOtdCents: 4_242 }),
    );
  });

  /** The keys of the exclusive locks that the writer holds; it holds no others. */
  async function locksOfWriter(): Promise<string[]> {
    const { rows } = await writer.query<{ key: string; mode: string }>(
      `SELECT ((classid::bigint << 32) | objid::bigint)::text AS key, mode FROM pg_locks
       WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
    );
    expect(rows.map(({ mode }) => mode)).toEqual(rows.map(() => 'ExclusiveLock'));
    return rows.map(({ key }) => key).sort();
  }
  async function bucketKeys(owners: readonly Reader[]): Promise<string[]> {
    const rows = await world.database.query<{ key: string }>(
      'SELECT deal_sets.feed_bucket_key(id)::text AS key FROM unnest($1::uuid[]) id',
      [owners.map(({ id }) => id)],
    );
    return rows.map(({ key }) => key).sort();
  }

  it('holds the lock of each bucket of its buyers', async () => {
    const changes = singles.map((id) => setPrice(id, 7)).join(';');
    await writer.query(`BEGIN; ${changes}; ${changes}; ${STAMP}`);
    expect(await locksOfWriter()).toEqual(await bucketKeys(buyers));
  });

  it('holds no lock of a buyer whose changes were rolled back to a savepoint', async () => {
    await writer.query(`BEGIN; ${setPrice(singles[0]!, 7)}; SAVEPOINT other`);
    await writer.query(`${setPrice(singles[1]!, 7)}; ROLLBACK TO SAVEPOINT other; ${STAMP}`);
    expect(await locksOfWriter()).toEqual(await bucketKeys(buyers.slice(0, 1)));
  });

  it('does not wait for a writer of another bucket when it is an import', async () => {
    await writer.query(`BEGIN; ${setPrice(singles[0]!, 9)}; ${STAMP}`);
    const mine = dealSet({ buyerId: buyers[1]!.id });
    await insert(world.database, [mine]);
    expect(await world.changedIdsSince(EPOCH, buyers[1])).toContain(mine.id);
  });

  it('holds the Service-As-Of of a buyer who shares its bucket, and loses none of her changes', async () => {
    const [neighbour] = await world.database.query<{ id: string }>(
      `SELECT id FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 100000)) made
       WHERE deal_sets.feed_bucket_key(id) = deal_sets.feed_bucket_key($1) LIMIT 1`,
      [buyers[0]!.id],
    );
    const { record, cookie } = signIn(neighbour!.id);
    const hers = priceCheck({ buyerId: neighbour!.id, dealershipId: shop });
    await insert(world.database, [buyer({ id: neighbour!.id }), record, hers]);
    const assistant = buyers[0]!.assistant;
    const poller: Reader = { id: neighbour!.id, session: { cookie }, assistant };
    const since = await world.latestWatermark(poller);
    await writer.query(`BEGIN; ${setPrice(singles[0]!, 9)}; ${STAMP}`);
    const waiting = two.query(setPrice(hers.id, 11));
    await pastStamp();
    const held = await world.poll(since, poller);
    expect(held).toMatchObject({ asOf: since, hasMore: false });
    await writer.query('COMMIT');
    await waiting;
    expect(await world.changedIdsSince(held.asOf, poller)).toEqual([hers.id]);
  });
});
