import { Client } from 'pg';
import { eventually } from './eventually.js';
import type { TestDatabase } from './test-database.js';

/** Waits until so many statements on this database wait for a lock. */
export async function untilLockWaits(
  { url }: Pick<TestDatabase, 'url'>,
  statements = 1,
): Promise<void> {
  // The test's own connection may be the one that waits.
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await eventually(async () => {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBeGreaterThanOrEqual(statements);
    });
  } finally {
    await client.end();
  }
}
