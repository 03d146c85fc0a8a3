import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { distribute } from '../../src/database/citus/distribute.js';
import { inspectTables } from '../../src/database/citus/inspect-cluster.js';
import { migrateDirectory, revertInDirectory } from '../../src/database/migration-directory.js';
import { load, smallWorld } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import {
  createDistributedDatabase,
  type DistributedDatabase,
} from './cluster/distributed-database.js';
import { describeWithCitus } from './cluster/describe-with-citus.js';
import { workerOf } from './cluster/shards.js';

const UP = `-- A column, which a trigger fills; and one of the service's own functions anew.
ALTER TABLE price_check ADD COLUMN note text;
GRANT SELECT (note) ON price_check TO deal_sets_reader;
CREATE INDEX price_check_note ON price_check (buyer_id, note);
CREATE FUNCTION take_note() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE price_check p SET note = (SELECT count(*) FROM request_feed f WHERE f.buyer_id = NEW.buyer_id)
  WHERE p.buyer_id = NEW.buyer_id AND p.id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER z_take_note AFTER INSERT ON price_check FOR EACH ROW EXECUTE FUNCTION take_note();
`;
const DOWN = `DROP TRIGGER z_take_note ON price_check;
DROP FUNCTION take_note();
ALTER TABLE price_check DROP COLUMN note;
`;

describeWithCitus('migrations of a distributed database', () => {
  let database: DistributedDatabase;
  let directory: string;

  beforeAll(async () => {
    database = await createDistributedDatabase();
    directory = mkdtempSync(path.join(tmpdir(), 'deal-sets-migrations-'));
    writeFileSync(path.join(directory, '1763700000000-note.up.sql'), UP);
    writeFileSync(path.join(directory, '1763700000000-note.down.sql'), DOWN);
  }, 180_000);
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await database.drop();
  });

  it('reach the shards with columns, privileges, functions and triggers, and are reverted', async () => {
    const source = { databaseUrl: database.url, directory, table: 'test_migration' };
    await load(database, smallWorld().records);
    expect(await migrateDirectory(source)).toEqual(['note-1763700000000']);
    expect(await inspectTables(database.client)).toEqual([]);

    const { row, records } = smallWorld();
    await load(database, records);
    await database.query('SET ROLE deal_sets_reader');
    const noted = await database.query('SELECT note FROM price_check WHERE id = $1', [row.id]);
    await database.query('RESET ROLE');
    expect(noted).toEqual([{ note: '1' }]);

    expect(await revertInDirectory(source)).toBe('note-1763700000000');
    expect(await inspectTables(database.client)).toEqual([]);
    await load(database, smallWorld().records);
    const feed = await database.query(
      'SELECT FROM request_feed WHERE NOT is_pending AND NOT needs_recompute AND written = 1',
    );
    expect(feed).toHaveLength(3);
  }, 120_000);

  it('come through a deadlock with a writer that was not stopped', async () => {
    const { anna, records } = smallWorld();
    await load(database, records);
    const writer = new Client({ connectionString: await workerOf(database, anna.id) });
    await writer.connect();
    // So PostgreSQL ends the other one.
    await writer.query(`SET deadlock_timeout = '60s'`);
    const { rows } = await writer.query<{ views: string }>(
      `SELECT nspname AS views FROM pg_namespace WHERE nspname LIKE 'deal\\_sets\\_shard\\_%' LIMIT 1`,
    );
    await writer.query(`BEGIN; LOCK TABLE ${rows[0]!.views}.buyer IN ACCESS SHARE MODE`);
    const done = distribute(database.client);
    const settled = done.catch(() => undefined);
    await eventually(async () => {
      const waiting = await writer.query(
        `SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'`,
      );
      expect(waiting.rows).toHaveLength(1);
    }, 30_000);
    await writer.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('deal_sets.shard_views', 0)); COMMIT`,
    );
    await settled;
    expect(await done).toBe(false);
    await writer.end();
    expect(await inspectTables(database.client)).toEqual([]);
  }, 120_000);
});
