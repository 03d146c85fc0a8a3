import type { TestDatabase } from './test-database.js';

/**
 * Delays every read of a deal set inside the server, by a row policy that sleeps. The policy
 * applies to the reading roles and not to the owner. Sign-in stays fast.
 */
export async function slowReads(database: TestDatabase, seconds: number): Promise<void> {
  await database.query(`
    ALTER TABLE deal_sets.deal_set ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS slow ON deal_sets.deal_set;
    CREATE POLICY slow ON deal_sets.deal_set USING (pg_sleep(${seconds})::text IS NOT NULL)`);
}

/** Counts the service's connections to this database, and those that run a statement. */
export async function serverConnections(
  database: TestDatabase,
): Promise<{ total: number; active: number }> {
  const [row] = await database.query<{ total: number; active: number }>(
    `SELECT count(*)::int AS total, count(*) FILTER (WHERE state = 'active')::int AS active
     FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'deal-sets %'`,
  );
  return row!;
}
