import type { TestDatabase } from '../../setup/test-database.js';

const TABLES =
  'buyer dealership buyer_session assistant_grant deal_set price_check question draft reply request_feed erased_buyer';

/**
 * Every row of every table with its version, so that even an update to the same values is visible.
 */
export async function contents(database: TestDatabase): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {};
  for (const table of TABLES.split(' ')) {
    all[table] = await database.query(
      `SELECT t.xmin::text, to_jsonb(t) AS row FROM deal_sets.${table} t ORDER BY 2`,
    );
  }
  return all;
}
