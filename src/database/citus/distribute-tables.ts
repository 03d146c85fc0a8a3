import { BUYERS_TABLES, DISTRIBUTED_TABLES, REFERENCE_TABLES } from './distributed-tables.js';
import type { SqlConnection } from './sql-connection.js';

/**
 * Distributes the tables that are not yet: all of them the first time, later those that a migration has made,
 * and none that a reverted migration took. Their triggers and foreign keys are taken away before.
 */
export async function distributeTables(
  client: SqlConnection,
  onStep: (what: string) => void = () => undefined,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1)
       AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)`,
    [DISTRIBUTED_TABLES],
  );
  const missing = new Set(rows.map(({ name }) => name));
  const references = REFERENCE_TABLES.filter((table) => missing.has(table));
  for (const table of references) {
    onStep(`copying ${table} to every node`);
    await client.query('SELECT create_reference_table($1)', [table]);
  }
  const buyers = Object.entries(BUYERS_TABLES).filter(([table]) => missing.has(table));
  for (const [table, column] of buyers) {
    onStep(`distributing ${table}`);
    await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [
      table,
      column,
      table === 'buyer' ? 'none' : 'buyer',
    ]);
  }
  for (const table of [...buyers.map(([name]) => name), ...references]) {
    await client.query('SELECT truncate_local_data_after_distributing_table($1)', [table]);
  }
}
