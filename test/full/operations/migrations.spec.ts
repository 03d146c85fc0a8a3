import type { DataSource } from 'typeorm';
import { writerDataSource } from '../../../src/database/data-source.js';
import { EarlierVersionError } from '../../../src/database/unusable-database.js';
import { migrationNames } from '../../../src/database/sql-migrations.js';
import { DatabaseHealth } from '../../../src/database/database-health.js';
import { TIME_LIMITS } from '../../../src/kernel/time-limits.js';
import { migrate, pendingChanges } from '../../../src/operations/migrate.js';
import { readSqlFiles } from '../../../src/database/sql-files.js';
import { eventually } from '../../setup/eventually.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import { readsOn } from '../../setup/reads-on.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const CODE = 'the code of sql/';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly isPrimary: boolean;
}

/** Tables without an entity: the feed, bookkeeping, and tables that only commands use. */
const WITHOUT_ENTITY = ['request_feed', 'schema_migration', 'schema_code', 'erased_buyer'];

describe('migrate', () => {
  const all = migrationNames();
  let database: TestDatabase;
  let deployers: DataSource[];
  let dataSource: DataSource;

  beforeEach(async () => {
    database = await createTestDatabase({ isEmpty: true });
    deployers = await Promise.all(
      [0, 1].map(() => writerDataSource({ url: database.url }).initialize()),
    );
    dataSource = deployers[0]!;
  });
  afterEach(async () => {
    await Promise.all(deployers.map((deployer) => deployer.destroy()));
    await database.drop();
  });

  /**
   * Functions, views, triggers and grants as text; `place` distinguishes those that were recreated.
   */
  const code = (place = `''`): Promise<Record<string, unknown>[]> =>
    database.query(`
      SELECT format('trigger %s %s', tgenabled, pg_get_triggerdef(t.oid)) AS line, ${place.replaceAll('row.', 't.')} AS place
      FROM pg_trigger t WHERE NOT tgisinternal
      UNION ALL SELECT pg_get_functiondef(p.oid), ''
        FROM pg_proc p WHERE pronamespace = 'deal_sets'::regnamespace
      UNION ALL SELECT format('view %s %s', relname, pg_get_viewdef(c.oid)), ''
        FROM pg_class c WHERE relkind = 'v' AND relnamespace = 'deal_sets'::regnamespace
      UNION ALL SELECT format('grant %s %s %s', table_name, column_name, grantee || privilege_type), ''
        FROM information_schema.column_privileges WHERE grantee LIKE 'deal\\_sets\\_%'
      ORDER BY 1`);
  const number = (value: number): Promise<unknown> =>
    database.query(`UPDATE deal_sets.schema_code SET number = $1, hash = 'of another version'`, [
      value,
    ]);

  it('creates tables and code, names what is pending, and replaces nothing a second time', async () => {
    expect(await pendingChanges(dataSource)).toEqual([...all, CODE]);
    expect(await migrate(dataSource)).toEqual({ applied: all, code: 'updated' });
    expect(await pendingChanges(dataSource)).toEqual([]);
    const before = await code('row.xmin::text');
    expect(before.length).toBeGreaterThan(100);
    expect(await migrate(dataSource)).toEqual({ applied: [], code: 'unchanged' });
    expect(await code('row.xmin::text')).toEqual(before);
  });

  it('runs once for two simultaneous deployments', async () => {
    const done = await Promise.all(deployers.map((deployer) => migrate(deployer)));
    expect(done.map(({ applied }) => applied.length).sort()).toEqual([0, all.length]);
    expect(await pendingChanges(dataSource)).toEqual([]);
  });

  it('makes every trigger fire for rows that are replicated', async () => {
    await migrate(dataSource);
    const others = await database.query(
      `SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'A'`,
    );
    expect(others).toEqual([]);
  });

  it('creates no table, domain or index that needs a function of sql/', async () => {
    await migrate(dataSource);
    const uses = await database.query(
      `SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS what, p.proname
       FROM pg_depend d JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
       WHERE p.pronamespace = 'deal_sets'::regnamespace
         AND d.classid NOT IN ('pg_trigger'::regclass, 'pg_proc'::regclass, 'pg_rewrite'::regclass)`,
    );
    expect(uses).toEqual([]);
  });

  it('restores changed code', async () => {
    await migrate(dataSource);
    const before = await code();
    await database.client.query(`
      ALTER TABLE deal_sets.draft DISABLE TRIGGER _900_mark; DROP TRIGGER _900_stamp ON deal_sets.request_feed;
      DROP TRIGGER _100_set_request ON deal_sets.reply;
      CREATE OR REPLACE FUNCTION deal_sets.feed_bucket_key(p_buyer_id uuid) RETURNS bigint LANGUAGE sql AS 'SELECT 1'`);
    await number(0);
    expect(await migrate(dataSource)).toEqual({ applied: [], code: 'updated' });
    expect(await code()).toEqual(before);
  });

  it.each([
    [
      'an earlier migration',
      `UPDATE deal_sets.schema_migration SET timestamp = 1763600000000, name = 'baseline-1763600000000'`,
    ],
    [
      'tables in the schema public',
      'DROP SCHEMA deal_sets CASCADE; CREATE TABLE public.schema_code ()',
    ],
  ])('rejects a database of an earlier version: %s', async (_what, past) => {
    await migrate(dataSource);
    await database.query(past);
    const reads = await readsOn(database.url);
    try {
      await expect(migrate(dataSource)).rejects.toThrow(/export the data with that version/);
      await expect(pendingChanges(dataSource)).rejects.toThrow(EarlierVersionError);
      expect(await new DatabaseHealth(reads, TIME_LIMITS).check()).toMatchObject({
        reason: 'earlier_version',
      });
    } finally {
      await reads.close();
    }
  });

  it.each(['LATIN1', 'SQL_ASCII'])('rejects a database in %s', async (encoding) => {
    const name = `${database.name}_${encoding.toLowerCase()}`;
    await database.query(
      `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
    );
    const url = Object.assign(new URL(database.url), { pathname: `/${name}` }).href;
    const source = await writerDataSource({ url }).initialize();
    const reads = await readsOn(url);
    try {
      await expect(migrate(source)).rejects.toThrow(/not UTF-8/);
      expect(await new DatabaseHealth(reads, TIME_LIMITS).check()).toMatchObject({
        reason: 'not_utf8',
      });
    } finally {
      await reads.close();
      await source.destroy();
      await database.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('applies a later migration, after which a process of the version before is still ready', async () => {
    await migrate(dataSource);
    const reads = await readsOn(database.url);
    const health = (): Promise<object> => new DatabaseHealth(reads, TIME_LIMITS).check();
    dataSource.migrations.push({
      name: 'later-1999999999999',
      up: (runner) => runner.query('ALTER TABLE deal_sets.buyer ADD COLUMN later text'),
      down: () => Promise.resolve(),
    });
    try {
      expect(await health()).toEqual({ needsRebuild: false });
      expect(await migrate(dataSource)).toEqual({
        applied: ['later-1999999999999'],
        code: 'unchanged',
      });
      expect(await health()).toEqual({ needsRebuild: false });
      // The process of the version before starts again, and its release is migrated once more.
      dataSource.migrations.pop();
      expect(await migrate(dataSource)).toEqual({ applied: [], code: 'unchanged' });
      expect(await health()).toEqual({ needsRebuild: false });
    } finally {
      await reads.close();
    }
  });

  it('changes nothing when one migration fails, so that the service stays ready', async () => {
    await migrate(dataSource);
    const before = await code('row.xmin::text');
    const { number: version, hash } = readSqlFiles();
    await database.query(`UPDATE deal_sets.schema_code SET hash = 'of another version'`);
    dataSource.migrations.push({
      name: 'failing-1999999999999',
      up: async (runner) => {
        await runner.query(
          'DROP TRIGGER _900_stamp ON deal_sets.request_feed; CREATE TABLE half (id uuid)',
        );
        await runner.query('SELECT 1 / 0');
      },
      down: () => Promise.resolve(),
    });
    await expect(migrate(dataSource)).rejects.toMatchObject({ code: '22012' });
    expect(await code('row.xmin::text')).toEqual(before);
    expect(await database.query(`SELECT to_regclass('deal_sets.half') AS half`)).toEqual([
      { half: null },
    ]);
    const reads = await readsOn(database.url);
    try {
      expect(await new DatabaseHealth(reads, TIME_LIMITS).check()).toEqual({ needsRebuild: false });
    } finally {
      await reads.close();
    }
    dataSource.migrations.pop();
    expect((await migrate(dataSource)).code).toBe('updated');
    expect(await database.query('SELECT number, hash FROM deal_sets.schema_code')).toEqual([
      { number: version, hash },
    ]);
  });

  it('leaves the code of a newer version in force, unless a downgrade is requested', async () => {
    await migrate(dataSource);
    await number(readSqlFiles().number + 1);
    expect(await pendingChanges(dataSource)).toEqual([]);
    expect((await migrate(dataSource)).code).toBe('kept');
    expect((await migrate(dataSource, { mayDowngrade: true })).code).toBe('updated');
  });

  it('revokes a planted grant', async () => {
    await migrate(dataSource);
    const before = await code();
    await database.client.query(`
      GRANT SELECT (name, email) ON deal_sets.dealership TO deal_sets_assistant; GRANT SELECT ON deal_sets.draft TO deal_sets_reader;
      GRANT INSERT ON deal_sets.reply TO PUBLIC; GRANT EXECUTE ON FUNCTION deal_sets.feed_stamp_buyer(uuid) TO PUBLIC`);
    await migrate(dataSource);
    expect(await code()).toEqual(before);
    await database.query('SET ROLE deal_sets_assistant');
    for (const sql of [
      'SELECT email FROM deal_sets.dealership',
      'INSERT INTO deal_sets.reply DEFAULT VALUES',
      'SELECT deal_sets.feed_stamp_buyer(NULL)',
    ]) {
      await expect(database.query(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });

  it.each(['CREATE VIEW', 'CREATE MATERIALIZED VIEW'])(
    'rejects a %s that would read more for a reading role',
    async (create) => {
      await migrate(dataSource);
      await database.client.query(
        `${create} names AS SELECT name FROM deal_sets.dealership; GRANT SELECT ON names TO deal_sets_assistant`,
      );
      await expect(migrate(dataSource)).rejects.toThrow(
        /view names is readable by deal_sets_assistant/,
      );
    },
  );

  it('accepts a view that a reading role reads with its own rights', async () => {
    await migrate(dataSource);
    await database.client
      .query(`CREATE VIEW names WITH (security_invoker = on) AS SELECT name FROM deal_sets.dealership;
      GRANT SELECT ON names TO deal_sets_assistant`);
    await migrate(dataSource);
  });

  it('waits for a writer no longer than two seconds at a time, and succeeds in the end', async () => {
    await migrate(dataSource);
    await number(0);
    const write = 'UPDATE deal_sets.price_check SET otd_cents = 1 WHERE false';
    await database.query('BEGIN');
    await database.query(write);
    const migrating = migrate(dataSource);
    await untilLockWaits(database);
    // This write waits behind the migration. A migration that waited for its lock without a limit
    // would block it forever.
    await deployers[1]!.query(write);
    await database.query('COMMIT');
    expect((await migrating).code).toBe('updated');
  });

  it('is required by /health/ready while tables, a role or a grant are missing', async () => {
    const reads = await readsOn(database.url);
    const health = (): Promise<object> => new DatabaseHealth(reads, TIME_LIMITS).check();
    try {
      expect(await health()).toMatchObject({ reason: 'migrations_pending' });
      await migrate(dataSource);
      await eventually(async () => expect(await health()).toEqual({ needsRebuild: false }));
      await database.query(
        'REVOKE SELECT (needs_rebuild) ON deal_sets.schema_code FROM deal_sets_reader',
      );
      expect(await health()).toMatchObject({ reason: 'roles_missing' });
      await migrate(dataSource);
      await eventually(async () => expect(await health()).toEqual({ needsRebuild: false }));
    } finally {
      await reads.close();
    }
  });

  it('creates the columns that the entities declare: name, type, nullability and primary key', async () => {
    await migrate(dataSource);
    const columns = declared(dataSource);
    expect(columns.length).toBeGreaterThan(70);
    expect(columns).toEqual(await migrated(database));
    expect(
      await database.query("SELECT 1 AS found FROM pg_class WHERE relname = 'typeorm_metadata'"),
    ).toEqual([]);
  });
});

function declared(dataSource: DataSource): Column[] {
  return dataSource.entityMetadatas
    .flatMap((entity) =>
      entity.columns.map((column) => ({
        table: entity.tableName,
        column: column.databaseName,
        type:
          dataSource.driver
            .normalizeType(column)
            .replace(
              /^timestamp with/,
              `timestamp${(column.precision ?? undefined) === undefined ? '' : `(${column.precision})`} with`,
            ) + (column.isArray ? '[]' : ''),
        isNullable: column.isNullable,
        isPrimary: column.isPrimary,
      })),
    )
    .sort(byName);
}

async function migrated(database: TestDatabase): Promise<Column[]> {
  const rows = await database.query<Column & { table: string }>(
    `SELECT c.relname AS "table", a.attname AS "column",
       format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END,
         CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS type,
       NOT a.attnotnull AS "isNullable",
       EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary
           AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
         AS "isPrimary"
     FROM pg_class c
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     JOIN pg_type t ON t.oid = a.atttypid
     WHERE c.relnamespace = 'deal_sets'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1)`,
    [WITHOUT_ENTITY],
  );
  return rows.sort(byName);
}

function byName(a: Column, b: Column): number {
  return `${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1;
}
