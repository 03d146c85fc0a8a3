import { setTimeout as sleep } from 'node:timers/promises';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { applyCode, readSchemaCode, type SchemaCode } from './schema-code.js';
import { baselineHash, BASELINE } from './sql-migrations.js';

/** Two deployers at once would both apply what is pending: one waits for the other. */
const MIGRATION_LOCK = '5926417730184220191';
/** A lock that writers hold is requested with a short limit, again after a pause: requests never queue behind it for long. */
const LOCK_TIMEOUT = '2s';
const LOCK_ATTEMPTS = 60;
const LOCK_PAUSE_MS = 1_000;

/** What `migrate` did. */
export interface MigrateSummary {
  /** The names of the migrations that were applied, oldest first. */
  readonly applied: readonly string[];
  /** What became of the functions and triggers; kept: those of a newer version are in force. */
  readonly code: 'unchanged' | 'updated' | 'kept';
}

export interface MigrateOptions {
  /** Code with a lower number than that in force takes its place. */
  readonly mayDowngrade?: boolean;
}

/** A database that this version does not bring up to date; the message names what to do. */
export class ForeignDatabase extends Error {
  constructor() {
    super(
      'This database was made by another baseline of the tables, of a version that was never released: ' +
        'make a new, empty one and load its data again.',
    );
  }
}

/**
 * Applies pending migrations, oldest first, and makes the code of `sql/` the one in force; then roles and grants
 * are made as they should be, always.
 *
 * @param dataSource connected; directly, not through a pooler, because the lock belongs to a session.
 * @throws {ForeignDatabase}
 */
export async function migrate(
  dataSource: DataSource,
  { mayDowngrade = false }: MigrateOptions = {},
): Promise<MigrateSummary> {
  return withRunner(dataSource, async (runner) => {
    await runner.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    try {
      await refuseForeign(runner);
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'each';
      const applied = (await executor.executePendingMigrations()).map(({ name }) => name);
      return { applied, code: await bringCode(runner, mayDowngrade) };
    } finally {
      await runner.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`).catch(() => undefined);
    }
  });
}

/** What is to be done, in words; empty when nothing is. Changes nothing. */
export async function pendingChanges(dataSource: DataSource): Promise<string[]> {
  return withRunner(dataSource, async (runner) => {
    const inForce = await refuseForeign(runner);
    const pending = await new MigrationExecutor(dataSource, runner).getPendingMigrations();
    const { hash, number } = readSchemaCode();
    const isCurrent = inForce && (inForce.hash === hash || inForce.number > number);
    return [...pending.map(({ name }) => name), ...(isCurrent ? [] : ['the code of sql/'])];
  });
}

async function withRunner<T>(
  dataSource: DataSource,
  work: (runner: QueryRunner) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    // Citus changes tables that refer to one of every node by one connection a node; elsewhere it means nothing.
    await runner.query(`SET citus.multi_shard_modify_mode TO 'sequential'`);
    return await work(runner);
  } finally {
    await runner.release();
  }
}

interface CodeInForce {
  readonly number: number;
  readonly hash: string;
  readonly baselineHash: string;
}

/** The rows of a table; none where it does not exist. */
async function rowsOf<Row>(runner: QueryRunner, table: string, columns: string): Promise<Row[]> {
  const [found] = (await runner.query('SELECT to_regclass($1) AS name', [`public.${table}`])) as {
    name: string | null;
  }[];
  if (!found?.name) return [];
  return (await runner.query(`SELECT ${columns} FROM public.${table}`)) as Row[];
}

export async function codeInForce(runner: QueryRunner): Promise<CodeInForce | undefined> {
  const columns = 'number, hash, baseline_hash AS "baselineHash"';
  const [row] = await rowsOf<CodeInForce>(runner, 'schema_code', columns);
  return row;
}

/** @returns the code that is in force, if any is. */
async function refuseForeign(runner: QueryRunner): Promise<CodeInForce | undefined> {
  const applied = await rowsOf<{ name: string }>(runner, 'schema_migration', 'name');
  if (applied.length > 0 && !applied.some(({ name }) => name === BASELINE)) {
    throw new ForeignDatabase();
  }
  const inForce = await codeInForce(runner);
  if (inForce && inForce.baselineHash !== baselineHash()) throw new ForeignDatabase();
  return inForce;
}

async function bringCode(
  runner: QueryRunner,
  mayDowngrade: boolean,
): Promise<MigrateSummary['code']> {
  await runner.query(
    'INSERT INTO public.schema_code (baseline_hash) VALUES ($1) ON CONFLICT DO NOTHING',
    [baselineHash()],
  );
  const code = readSchemaCode();
  const inForce = await codeInForce(runner);
  if (inForce && inForce.number > code.number && !mayDowngrade) return 'kept';
  const isChanged = inForce?.hash !== code.hash;
  for (let attempt = 1; ; attempt += 1) {
    await runner.startTransaction();
    try {
      await runner.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      if (isChanged) await applyCode(runner, code);
      // Roles and memberships belong to the server, not to the database: they may be gone after a restore.
      await runner.query(code.roles);
      await record(runner, code);
      await runner.commitTransaction();
      return isChanged ? 'updated' : 'unchanged';
    } catch (error) {
      await runner.rollbackTransaction().catch(() => undefined);
      if (attempt >= LOCK_ATTEMPTS || !isLockConflict(error)) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

/** Where there is no data yet, everything is computed by these rules. */
async function record(runner: QueryRunner, code: SchemaCode): Promise<void> {
  await runner.query(
    `UPDATE public.schema_code SET number = $1, hash = $2, rules_hash = $3,
       rebuilt_to = CASE WHEN rules_hash = $3 THEN rebuilt_to END,
       rebuilt_hash = CASE WHEN EXISTS (SELECT 1 FROM public.buyer) THEN rebuilt_hash ELSE $3 END
     WHERE (number, hash, rules_hash) IS DISTINCT FROM ($1::integer, $2::text, $3::text)`,
    [code.number, code.hash, code.rulesHash],
  );
}

/** A lock that was not to be had in time, a deadlock, or a role that another database of the server changes now. */
function isLockConflict(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    code === '55P03' || code === '40P01' || (code === 'XX000' && /concurrently/.test(String(error)))
  );
}
