import type { Client } from 'pg';
import { dealSet, insert, load, priceCheck, question, written } from '../../builders/index.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import { FeedWorld, setPrice, STAMP } from '../../setup/feed-world.js';
import { modelRows } from './read-model-rows.js';

/** Single cases; `property.suite.ts` compares every snapshot while many writers work. */
describe('the read model', () => {
  let world: FeedWorld;
  let reader: Client;
  let buyerId: string;
  let set: string;
  let first: string;
  let second: string;

  beforeAll(async () => {
    world = await FeedWorld.start();
    reader = await world.writer();
  });
  afterAll(() => world.stop());
  /** A deal set of two rows. */
  beforeEach(async () => {
    buyerId = world.unusedBuyer().id;
    const ofSet = dealSet({ buyerId });
    const listing = { year: 2025, model: 'CR-V', trim: 'Mallard' };
    const rows = [world.dealership.id, world.renamed.id].map((dealershipId) =>
      priceCheck({ buyerId, dealSetId: ofSet.id, dealershipId, listing }),
    );
    await insert(world.database, [ofSet, ...rows]);
    [set, first, second] = [ofSet.id, rows[0]!.id, rows[1]!.id];
  });

  /** Asserts that the stored values are those that the domain computes. */
  async function expectAsComputed(): Promise<Record<string, object>> {
    const { stored, expected } = await modelRows(reader);
    expect(stored).toEqual(expected);
    return stored;
  }

  it('includes what another writer of the request committed meanwhile', async () => {
    const [early, late] = [await world.writer(), await world.writer()];
    await early.query(`BEGIN; ${setPrice(first, 5)}`);
    // Waits for the other writer, with a snapshot that is older than the other's commit.
    const waiting = late.query(setPrice(second, 6));
    await untilLockWaits(world.database);
    await early.query('COMMIT');
    await waiting;
    await expectAsComputed();
  });

  it('rejects a writer whose snapshot lacks a change of the request', async () => {
    const [old, other] = [await world.writer(), await world.writer()];
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await old.query('SELECT now()');
    await other.query(setPrice(first, 5));
    await expect(old.query(setPrice(second, 6))).rejects.toMatchObject({ code: '40001' });
    await old.query('ROLLBACK');
    await expectAsComputed();
  });

  it.each([
    [
      'is recomputed when a rollback to a savepoint takes back what was recomputed',
      () => [
        setPrice(first, 5),
        `SAVEPOINT s; ${STAMP}; ROLLBACK TO SAVEPOINT s`,
        setPrice(second, 6),
      ],
    ],
    [
      'follows changes after SET CONSTRAINTS ALL IMMEDIATE',
      () => [
        STAMP,
        setPrice(first, 5),
        setPrice(second, 4),
        `UPDATE deal_sets.price_check SET listing_trim = 'Quarry Road Autos' WHERE id = '${second}'`,
      ],
    ],
  ])('%s', async (_what, statements) => {
    await world.database.client.query(['BEGIN', ...statements(), 'COMMIT'].join(';'));
    await expectAsComputed();
  });

  it.each([
    ['single', 'requested_at, has_ended, is_archived, has_finished, needs_you'],
    ['deal_set', 'car_year, car_make, car_model, written, waiting, different_car'],
    ['deal_set', 'ended, ended_with_price, closed_with_price'],
  ])('never stores a %s without a value of its entry: %s', async (kind, columns) => {
    await insert(world.database, [priceCheck({ buyerId, dealershipId: world.dealership.id })]);
    for (const column of columns.split(', ')) {
      const removed = world.database.query(
        `UPDATE deal_sets.request_feed SET ${column} = NULL WHERE buyer_id = $1 AND kind = $2`,
        [buyerId, kind],
      );
      await expect(removed).rejects.toMatchObject({ constraint: 'request_feed_computed' });
    }
  });

  it('follows a renaming that hides part of a listing', async () => {
    const rename = (name: string): Promise<unknown> =>
      world.database.query('UPDATE deal_sets.dealership SET name = $2 WHERE id = $1', [
        world.renamed.id,
        name,
      ]);
    await world.database.query('UPDATE deal_sets.price_check SET chosen_at = now() WHERE id = $1', [
      second,
    ]);
    await rename('Mallard');
    expect(JSON.stringify((await expectAsComputed())[`deal_set:${set}`])).not.toContain('Mallard');
    await rename(world.renamed.name);
    await expectAsComputed();
  });

  it('has the hero of the ranking among rows of one price', async () => {
    const row = (trim: string | undefined, distanceMiles: number, at: string) =>
      priceCheck({
        buyerId,
        dealSetId: set,
        dealershipId: world.dealership.id,
        distanceMiles,
        listing: { year: 2025, ...(trim === undefined ? {} : { trim }) },
        ...written(3_000_000, at),
      });
    await insert(world.database, [
      row(undefined, 1, '2026-01-01T00:00:00Z'),
      row('b', 2, '2026-01-01T00:00:00Z'),
      row('Z', 3, '2026-01-03T00:00:00Z'),
      row('Z', 4, '2026-01-02T00:00:00Z'),
    ]);
    expect((await expectAsComputed())[`deal_set:${set}`]).toMatchObject({
      lowestWrittenDistanceMiles: 4,
    });
  });

  it('follows an import in both modes', async () => {
    const keys = { buyerId, dealSetId: set, dealershipId: world.dealership.id };
    const records = [
      dealSet({ buyerId, id: set, latestActivityAt: '2026-02-01T00:00:00Z' }),
      priceCheck({ ...keys, id: first, ...written(42) }),
      question({ priceCheckId: first }),
    ];
    await load(world.database, records, { isBackfill: true });
    await expectAsComputed();
    await load(world.database, [question({ priceCheckId: first })]);
    await expectAsComputed();
  });

  it('loses the rows of an erased buyer', async () => {
    await world.database.query('DELETE FROM deal_sets.buyer WHERE id = $1', [buyerId]);
    expect(await expectAsComputed()).not.toHaveProperty([`deal_set:${set}`]);
  });
});
