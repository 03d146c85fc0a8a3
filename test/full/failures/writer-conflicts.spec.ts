import { Client } from 'pg';
import { rebuild } from '../../../src/operations/rebuild.js';
import { retryConflicts } from '../../../src/database/retry-conflicts.js';
import { buyer, dealership, load, priceCheck, written } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { runInProcess } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/**
 * Two writers deadlock: the other one has changed the second of two requests and waits for the
 * first; ours has changed the first and waits for the second. The other one has a long deadlock
 * timeout, so PostgreSQL ends ours.
 */
describe('two writers that change requests in opposite orders', () => {
  const anna = buyer();
  const shop = dealership();
  const checks = [priceCheck, priceCheck]
    .map((make) => make({ buyerId: anna.id, dealershipId: shop.id }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const [first, second] = checks as [(typeof checks)[0], (typeof checks)[0]];
  let database: TestDatabase;
  let otherWriter: Client;
  let ourWriter: Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    await load(database, [anna, shop, ...checks]);
    otherWriter = new Client({ connectionString: database.url });
    ourWriter = new Client({ connectionString: database.url });
    await Promise.all([otherWriter.connect(), ourWriter.connect()]);
    await otherWriter.query(`SET deadlock_timeout = '60s'`);
  });
  afterEach(async () => {
    await Promise.all([otherWriter.end(), ourWriter.end()]);
    await database.drop();
  });

  const change = (id: string): Promise<unknown> =>
    otherWriter.query(
      'UPDATE deal_sets.price_check SET distance_miles = distance_miles + 1 WHERE id = $1',
      [id],
    );

  /**
   * Lets the two writers deadlock; both must complete, and PostgreSQL must have ended one
   * meanwhile.
   */
  async function expectToSurviveDeadlock(work: () => Promise<unknown>): Promise<void> {
    await otherWriter.query('BEGIN');
    await change(second.id);
    const done = work();
    // Prevents an unhandled rejection while the other writer is not done.
    done.catch(() => undefined);
    await eventually(async () => {
      const waiting = await database.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    });
    await change(first.id);
    await otherWriter.query('COMMIT');
    await done;
    await ourWriter.query('SELECT pg_stat_force_next_flush()');
    await eventually(async () => {
      const [row] = await database.query<{ deadlocks: number }>(
        `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
      );
      expect(row!.deadlocks).toBeGreaterThan(0);
    });
  }

  it('complete an import', async () => {
    const changed = checks.map((check) => ({ ...check, ...written(5_000) }));
    await expectToSurviveDeadlock(() => load(database, changed));
    expect(
      await database.query('SELECT DISTINCT otd_cents::int FROM deal_sets.price_check'),
    ).toEqual([{ otd_cents: 5_000 }]);
  });

  it('complete a rebuild of both requests', () =>
    expectToSurviveDeadlock(async () =>
      expect(await rebuild(ourWriter)).toMatchObject({ buyers: 1 }),
    ));

  it('complete the erasure of a buyer', async () => {
    await expectToSurviveDeadlock(async () => {
      const { exitCode, stderr } = await runInProcess(['erase', '--yes', '--buyer', anna.id], {
        env: { DATABASE_URL: database.url },
      });
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Erased')]);
    });
    expect(await database.query('SELECT id FROM deal_sets.price_check')).toEqual([]);
  });

  it('complete a transaction of a host application that retries', async () => {
    let attempts = 0;
    await expectToSurviveDeadlock(() =>
      retryConflicts(async () => {
        attempts += 1;
        await ourWriter.query('BEGIN');
        try {
          for (const { id } of checks)
            await ourWriter.query(
              'UPDATE deal_sets.price_check SET archived_at = now() WHERE id = $1',
              [id],
            );
          await ourWriter.query('COMMIT');
        } catch (error) {
          await ourWriter.query('ROLLBACK');
          throw error;
        }
      }),
    );
    expect(attempts).toBeGreaterThan(1);
  });
});
