import { MigrationExecutor, type DataSource, type EntityManager } from 'typeorm';
import { retryConflicts } from './retry-conflicts.js';
import {
  applyRepeatableMigrations,
  readRepeatableMigrations,
  type Queries,
  type RepeatableMigrations,
} from '../../database/repeatable-migrations.js';

/** Two deployers at once would both apply what is pending: one waits for the other. */
const MIGRATION_LOCK = '5926417730184220191';
/** A lock that writers hold is requested with a short limit, again after a pause: requests never queue behind it for long. */
const LOCK_TIMEOUT = '2s';
const LOCK = { maxAttempts: 60, pauseMs: 400 };
/** A role that another database of the server changes just now. */
const CHANGED_CONCURRENTLY = 'XX000';

export interface MigrateSummary {
  /** The names of the migrations that were applied, oldest first. */
  readonly applied: readonly string[];
  /** What became of the functions and triggers; kept: those of a newer version are in force. */
  readonly code: 'unchanged' | 'updated' | 'kept';
}

/**
 * Applies pending migrations, oldest first, and makes the code of `sql/` the one in force; roles and grants always.
 *
 * @param dataSource connected; directly, not through a pooler, because the lock belongs to a session.
 * @param options `mayDowngrade`: code with a lower number than that in force takes its place.
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

/** What is to be done, in words; empty when nothing is. Changes nothing. */
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
    // Citus changes tables that refer to one of every node by one connection a node; elsewhere it means nothing.
    await runner.query(`SET citus.multi_shard_modify_mode TO 'sequential'`);
    return await work(new MigrationExecutor(dataSource, runner), runner.manager);
  } finally {
    await runner.release();
  }
}

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
      // Roles and memberships belong to the server, not to the database: they may be gone after a restore.
      await inside.query(code.roles);
      await inside.query(RECORD, [code.number, code.hash, code.rulesHash]);
    });
  await retryConflicts(attempt, [CHANGED_CONCURRENTLY], LOCK);
  return isChanged ? 'updated' : 'unchanged';
}

/** Where there is no data yet, everything is computed by these rules. */
const RECORD = `UPDATE public.schema_code SET number = $1, hash = $2, rules_hash = $3,
    rebuilt_to = CASE WHEN rules_hash = $3 THEN rebuilt_to END,
    rebuilt_hash = CASE WHEN EXISTS (SELECT 1 FROM public.buyer) THEN rebuilt_hash ELSE $3 END
  WHERE (number, hash, rules_hash) IS DISTINCT FROM ($1::integer, $2::text, $3::text)`;
