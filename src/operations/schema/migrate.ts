import { MigrationExecutor, type DataSource, type EntityManager } from 'typeorm';
import { retryConflicts } from './retry-conflicts.js';
import {
  applyRepeatableMigrations,
  readRepeatableMigrations,
  type Queries,
  type RepeatableMigrations,
} from '../../database/repeatable-migrations.js';

/**
 * The key of the lock that makes concurrent deployments wait for each other, so that only one of
 * them applies the pending migrations.
 */
const MIGRATION_LOCK = '5926417730184220191';
/**
 * How long the update of the functions waits for locks that writers hold. It then tries again after
 * a pause, so that requests never queue behind the update for long.
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
 * Applies pending migrations, oldest first, then the functions and triggers of `sql/`. Roles and
 * grants are applied even if the functions are unchanged, but not if those of a newer version are
 * kept.
 *
 * @param dataSource a connected data source. It must not connect through a pooler, because the lock
 *   belongs to a session.
 * @param options `mayDowngrade`: whether functions of a lower version replace those of a higher
 *   one.
 */
export async function migrate(
  dataSource: DataSource,
  { mayDowngrade = false }: { readonly mayDowngrade?: boolean } = {},
): Promise<MigrateSummary> {
  return withExecutor(dataSource, async (executor, manager) => {
    await manager.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    try {
      executor.transaction = 'each';
      const applied = (await executor.executePendingMigrations()).map(({ name }) => name);
      return { applied, code: await updateRepeatableMigrations(manager, mayDowngrade) };
    } finally {
      await manager.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`).catch(() => undefined);
    }
  });
}

/** Lists what `migrate` would apply, without changing anything; empty when nothing is pending. */
export async function pendingChanges(dataSource: DataSource): Promise<string[]> {
  return withExecutor(dataSource, async (executor, manager) => {
    const inForce = await appliedRepeatableMigrations(manager);
    const pending = await executor.getPendingMigrations();
    const { hash, number } = readRepeatableMigrations();
    const isCurrent = inForce && (inForce.hash === hash || inForce.number > number);
    return [...pending.map(({ name }) => name), ...(isCurrent ? [] : ['the code of sql/'])];
  });
}

async function withExecutor<T>(
  dataSource: DataSource,
  work: (executor: MigrationExecutor, manager: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    // Citus can change tables with a foreign key to a reference table only over one connection per
    // node. Without Citus this setting has no effect.
    await runner.query(`SET citus.multi_shard_modify_mode TO 'sequential'`);
    return await work(new MigrationExecutor(dataSource, runner), runner.manager);
  } finally {
    await runner.release();
  }
}

/**
 * Returns the version and hash of the functions in the database; undefined before the first
 * migration.
 */
export async function appliedRepeatableMigrations(
  manager: Queries,
): Promise<Pick<RepeatableMigrations, 'number' | 'hash'> | undefined> {
  const isThere = `SELECT WHERE to_regclass('public.schema_code') IS NOT NULL`;
  if ((await manager.query<object[]>(isThere)).length === 0) return undefined;
  const [row] = await manager.query<RepeatableMigrations[]>(
    'SELECT number, hash FROM public.schema_code',
  );
  return row;
}

async function updateRepeatableMigrations(
  manager: EntityManager,
  mayDowngrade: boolean,
): Promise<MigrateSummary['code']> {
  const code = readRepeatableMigrations();
  const inForce = await appliedRepeatableMigrations(manager);
  if (inForce && inForce.number > code.number && !mayDowngrade) return 'kept';
  const isChanged = inForce?.hash !== code.hash;
  const attempt = (): Promise<void> =>
    manager.transaction(async (inside) => {
      await inside.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      if (isChanged) await applyRepeatableMigrations(inside, code);
      // Roles and memberships belong to the server, not to the database: they may be missing after
      // a restore.
      await inside.query(code.roles);
      await inside.query(RECORD, [code.number, code.hash, code.rulesHash]);
    });
  await retryConflicts(attempt, [CHANGED_CONCURRENTLY], LOCK);
  return isChanged ? 'updated' : 'unchanged';
}

/** In an empty database, no row needs a rebuild. */
const RECORD = `UPDATE public.schema_code SET number = $1, hash = $2, rules_hash = $3,
    rebuilt_to = CASE WHEN rules_hash = $3 THEN rebuilt_to END,
    rebuilt_hash = CASE WHEN EXISTS (SELECT 1 FROM public.buyer) THEN rebuilt_hash ELSE $3 END
  WHERE (number, hash, rules_hash) IS DISTINCT FROM ($1::integer, $2::text, $3::text)`;
