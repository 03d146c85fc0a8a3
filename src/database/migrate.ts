import { MigrationExecutor, type DataSource } from 'typeorm';

/** Two deployers at once would both apply what is pending: one waits for the other. */
const MIGRATION_LOCK = '5926417730184220191';

/**
 * Applies pending migrations, oldest first.
 *
 * @param dataSource connected; directly, not through a pooler, because the lock belongs to a session.
 * @returns the names of those applied, none when nothing was pending.
 */
export async function applyMigrations(dataSource: DataSource): Promise<string[]> {
  return alone(dataSource, async (executor) => {
    executor.transaction = 'each';
    return (await executor.executePendingMigrations()).map(({ name }) => name);
  });
}

/** Undoes the last applied migration; returns its name, or undefined when none is applied. */
export async function revertLastMigration(dataSource: DataSource): Promise<string | undefined> {
  return alone(dataSource, async (executor) => {
    const [last] = (await executor.getExecutedMigrations()).sort(
      (a, b) => b.timestamp - a.timestamp,
    );
    if (!last) return undefined;
    executor.transaction = 'each';
    await executor.undoLastMigration();
    return last.name;
  });
}

/** The names of the migrations that are not applied, oldest first. Changes nothing. */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  return (await new MigrationExecutor(dataSource).getPendingMigrations()).map(({ name }) => name);
}

async function alone<T>(
  dataSource: DataSource,
  work: (executor: MigrationExecutor) => Promise<T>,
): Promise<T> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    try {
      return await work(new MigrationExecutor(dataSource, queryRunner));
    } finally {
      await queryRunner
        .query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`)
        .catch(() => undefined);
    }
  } finally {
    await queryRunner.release();
  }
}
