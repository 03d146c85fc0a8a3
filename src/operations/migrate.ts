import { MigrationExecutor, type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import {
  EarlierVersionError,
  HAS_TABLES_IN_PUBLIC,
  IS_UTF8,
  isEarlierMigration,
  NotUtf8Error,
} from '../database/unusable-database.js';
import { MIGRATION_TABLE, migrationNames } from '../database/sql-migrations.js';
import { readSqlFiles, type SqlFiles } from '../database/sql-files.js';
import { retryConflicts } from '../database/retry-conflicts.js';

/**
 * The key of the lock that makes concurrent deployments wait for each other, so that only one of
 * them applies the pending migrations.
 */
const MIGRATION_LOCK = '5926417730184220191';
/**
 * How long a migration waits for locks that writers hold. It then starts again after a pause, so
 * that requests never queue behind it for long.
 */
const LOCK_TIMEOUT = '2s';
const LOCK = { maxAttempts: 60, pauseMs: 400 };
/** The SQLSTATE when another database of the same server changes a role at the same time. */
const CHANGED_CONCURRENTLY = 'XX000';

/** The result of `migrate`. */
export interface MigrateSummary {
  /** The names of the migrations that were applied, oldest first. */
  readonly applied: readonly string[];
  /**
   * What happened to the functions and triggers; `kept` means that those of a newer version remain.
   */
  readonly code: 'unchanged' | 'updated' | 'kept';
}

/**
 * Applies pending migrations, oldest first, then the functions and triggers of `sql/` if they
 * differ from those in the database, and the roles and grants. Those of a newer version are kept.
 *
 * Everything happens in one transaction: a migration that fails changes nothing, and no change of a
 * request is committed while triggers are missing.
 *
 * @param dataSource a connected data source.
 * @param options `mayDowngrade`: whether functions of a lower version replace those of a higher
 *   one.
 * @throws {EarlierVersionError} when the database belongs to an earlier version.
 * @throws {NotUtf8Error} when the database has another encoding.
 */
export async function migrate(
  dataSource: DataSource,
  { mayDowngrade = false }: { readonly mayDowngrade?: boolean } = {},
): Promise<MigrateSummary> {
  const runner = dataSource.createQueryRunner();
  const attempt = async (): Promise<MigrateSummary> => {
    await runner.startTransaction('READ COMMITTED');
    try {
      const summary = await migrateInTransaction(runner, mayDowngrade);
      await runner.commitTransaction();
      return summary;
    } catch (error) {
      // A lost connection has already rolled back; the original error is reported.
      await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  };
  try {
    return await retryConflicts(attempt, [CHANGED_CONCURRENTLY], LOCK);
  } finally {
    await runner.release();
  }
}

/**
 * Lists what `migrate` would apply, without changing anything; empty when nothing is pending.
 *
 * @throws {EarlierVersionError} when the database belongs to an earlier version.
 * @throws {NotUtf8Error} when the database has another encoding.
 */
export async function pendingChanges({ manager }: DataSource): Promise<string[]> {
  const { hash, number } = readSqlFiles();
  const names = await appliedMigrations(manager);
  const appliedFiles = await appliedSqlFiles(manager);
  const isCurrent = appliedFiles && (appliedFiles.hash === hash || appliedFiles.number > number);
  return [
    ...migrationNames().filter((name) => !names.has(name)),
    ...(isCurrent ? [] : ['the code of sql/']),
  ];
}

/**
 * Returns the version and hash of the functions in the database; undefined before the first
 * migration.
 */
export async function appliedSqlFiles(
  manager: EntityManager,
): Promise<Pick<SqlFiles, 'number' | 'hash'> | undefined> {
  const isThere = `SELECT WHERE to_regclass('deal_sets.schema_code') IS NOT NULL`;
  if ((await manager.query<object[]>(isThere)).length === 0) return undefined;
  const [row] = await manager.query<SqlFiles[]>('SELECT number, hash FROM deal_sets.schema_code');
  return row;
}

/**
 * Returns the names of the applied migrations.
 *
 * @throws {EarlierVersionError} when the database belongs to an earlier version.
 * @throws {NotUtf8Error} when the database has another encoding.
 */
async function appliedMigrations(manager: EntityManager): Promise<ReadonlySet<string>> {
  const [found] = await manager.query<
    { isUtf8: boolean; isEarlier: boolean; isMigrated: boolean }[]
  >(
    `SELECT ${IS_UTF8} AS "isUtf8", ${HAS_TABLES_IN_PUBLIC} AS "isEarlier",
       to_regclass('deal_sets.${MIGRATION_TABLE}') IS NOT NULL AS "isMigrated"`,
  );
  if (found?.isUtf8 === false) throw new NotUtf8Error();
  if (found?.isEarlier) throw new EarlierVersionError();
  if (!found?.isMigrated) return new Set();
  const rows = await manager.query<{ name: string; isEarlier: boolean }[]>(
    `SELECT name, ${isEarlierMigration('name')} AS "isEarlier" FROM deal_sets.${MIGRATION_TABLE}`,
  );
  if (rows.some(({ isEarlier }) => isEarlier)) throw new EarlierVersionError();
  return new Set(rows.map(({ name }) => name));
}

async function migrateInTransaction(
  runner: QueryRunner,
  mayDowngrade: boolean,
): Promise<MigrateSummary> {
  const { manager } = runner;
  await runner.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  await runner.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await appliedMigrations(manager);
  await runner.query(CREATE_SCHEMA);
  // The executor uses the open transaction.
  const executor = new MigrationExecutor(runner.dataSource, runner);
  const applied = (await executor.executePendingMigrations()).map(({ name }) => name);

  const files = readSqlFiles();
  const appliedFiles = await appliedSqlFiles(manager);
  if (appliedFiles && appliedFiles.number > files.number && !mayDowngrade)
    return { applied, code: 'kept' };
  const isChanged = appliedFiles?.hash !== files.hash;
  if (isChanged) for (const file of files.code) await runner.query(file);
  // Roles and memberships belong to the server, not to the database: they may be missing after a
  // restore.
  await runner.query(files.roles);
  await runner.query(files.distribution);
  await runner.query(RECORD, [files.number, files.hash, files.rulesHash]);
  return { applied, code: isChanged ? 'updated' : 'unchanged' };
}

/** Needs no privilege on the database if the schema exists. */
const CREATE_SCHEMA = `DO $$ BEGIN
  IF to_regnamespace('deal_sets') IS NULL THEN CREATE SCHEMA deal_sets; END IF;
END $$`;

/** In an empty database, no row needs a rebuild. */
const RECORD = `UPDATE deal_sets.schema_code SET number = $1, hash = $2, rules_hash = $3,
    needs_rebuild = EXISTS (SELECT 1 FROM deal_sets.buyer) AND (needs_rebuild OR rules_hash <> $3)
  WHERE (number, hash, rules_hash) IS DISTINCT FROM ($1::integer, $2::text, $3::text)`;
