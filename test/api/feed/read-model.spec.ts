import type { Client } from 'pg';
import { dealSet, load, priceCheck, question, written } from '../../builders/index.js';
import { FeedWorld, setPrice, STAMP } from './feed-world.js';
import { modelRows } from './read-model-rows.js';

describe('the read model', () => {
  let world: FeedWorld;
  let reader: Client;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 2 });
    reader = await world.writer();
  });
  afterAll(() => world.stop());

  /** What is stored is what the domain computes. */
  async function expectTrue(): Promise<Record<string, object>> {
    const { stored, expected } = await modelRows(reader);
    expect(stored).toEqual(expected);
    return stored;
  }

  /** A deal set of two rows. */
  async function pair(): Promise<{ set: string; rows: [string, string] }> {
    const buyerId = world.anna.id;
    const set = dealSet({ buyerId });
    const [first, second] = [world.shop.id, world.renamed.id].map((dealershipId) =>
      priceCheck({
        buyerId,
        dealSetId: set.id,
        dealershipId,
        listing: { year: 2025, model: 'CR-V', trim: 'Mallard' },
      }),
    );
    await load(world.database, [set, first!, second!]);
    return { set: set.id, rows: [first!.id, second!.id] };
  }

  it('includes what another writer of the request committed meanwhile', async () => {
    const { rows } = await pair();
    const [first, second] = [await world.writer(), await world.writer()];
    await first.query('BEGIN');
    await first.query(setPrice(rows[0], 5));
    // Waits for the first, with a snapshot that is older than the first's commit.
    const waiting = second.query(setPrice(rows[1], 6));
    await world.database.query('SELECT pg_sleep(0.2)');
    await first.query('COMMIT');
    await waiting;
    await expectTrue();
  });

  it('refuses a writer whose snapshot lacks a change of the request, also one of history', async () => {
    const { rows } = await pair();
    const [old, other] = [await world.writer(), await world.writer()];
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await old.query('SELECT now()');
    await other.query(
      `BEGIN; SELECT deal_sets.feed_enter_history(); ${setPrice(rows[0], 5)}; COMMIT`,
    );
    await expect(old.query(setPrice(rows[1], 6))).rejects.toMatchObject({ code: '40001' });
    await old.query('ROLLBACK');
    await expectTrue();
  });

  it('is recomputed when a rollback to a savepoint takes back what was recomputed', async () => {
    const { rows } = await pair();
    await world.database.client.query(
      `BEGIN; ${setPrice(rows[0], 5)}; SAVEPOINT s; ${STAMP}; ROLLBACK TO SAVEPOINT s;
       ${setPrice(rows[1], 6)}; COMMIT`,
    );
    await expectTrue();
  });

  it('follows changes after SET CONSTRAINTS ALL IMMEDIATE', async () => {
    const { rows } = await pair();
    await world.database.client.query(
      `BEGIN; ${STAMP}; ${setPrice(rows[0], 5)}; ${setPrice(rows[1], 4)};
       UPDATE price_check SET listing_trim = 'Quarry Road Autos' WHERE id = '${rows[1]}'; COMMIT`,
    );
    await expectTrue();
  });

  it('follows a renaming that hides part of a listing', async () => {
    const { set, rows } = await pair();
    await world.database.query(`UPDATE price_check SET chosen_at = now() WHERE id = $1`, [rows[1]]);
    await world.database.query(`UPDATE dealership SET name = 'Mallard' WHERE id = $1`, [
      world.renamed.id,
    ]);
    const stored = await expectTrue();
    expect(JSON.stringify(stored[`deal_set:${set}`])).not.toContain('Mallard');
    await world.database.query(`UPDATE dealership SET name = 'Ferry Lane Cars' WHERE id = $1`, [
      world.renamed.id,
    ]);
    await expectTrue();
  });

  it('has the hero of the ranking among rows of one price', async () => {
    const buyerId = world.anna.id;
    const set = dealSet({ buyerId });
    const row = (trim: string | undefined, distanceMiles: number, at: string) =>
      priceCheck({
        buyerId,
        dealSetId: set.id,
        dealershipId: world.shop.id,
        distanceMiles,
        listing: { year: 2025, ...(trim === undefined ? {} : { trim }) },
        ...written(3_000_000, at),
      });
    await load(world.database, [
      set,
      row(undefined, 1, '2026-01-01T00:00:00Z'),
      row('b', 2, '2026-01-01T00:00:00Z'),
      row('Z', 3, '2026-01-03T00:00:00Z'),
      row('Z', 4, '2026-01-02T00:00:00Z'),
    ]);
    const stored = await expectTrue();
    expect(stored[`deal_set:${set.id}`]).toMatchObject({ heroDistanceMiles: 4 });
  });

  it('follows an import in both modes', async () => {
    const { set, rows } = await pair();
    const buyerId = world.anna.id;
    const records = [
      dealSet({ buyerId, id: set, latestActivityAt: '2026-02-01T00:00:00Z' }),
      priceCheck({
        buyerId,
        id: rows[0],
        dealSetId: set,
        dealershipId: world.shop.id,
        ...written(42),
      }),
      question({ priceCheckId: rows[0] }),
    ];
    await load(world.database, records, { isBackfill: true });
    await expectTrue();
    await load(world.database, [question({ priceCheckId: rows[0] })]);
    await expectTrue();
  });

  it('loses the rows of a buyer who is erased', async () => {
    await pair();
    await world.database.query('DELETE FROM buyer WHERE id = $1', [world.anna.id]);
    const { rows } = await reader.query('SELECT FROM request_feed WHERE buyer_id = $1', [
      world.anna.id,
    ]);
    expect(rows).toEqual([]);
    await expectTrue();
  });
});
