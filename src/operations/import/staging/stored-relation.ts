import type { ClientBase } from 'pg';

/** Returns the relation from which the import reads the stored rows of a table. */
export type StoredRelation = (table: string) => string;

/** The condition for the rows that a file affects, for each table that Citus puts on its nodes. */
const AFFECTED_ROWS: Readonly<Record<string, string>> = {
  buyer: `id IN (SELECT id FROM staged_buyer UNION SELECT buyer_id FROM staged_buyer_session
    UNION SELECT buyer_id FROM staged_assistant_grant UNION SELECT buyer_id FROM staged_deal_set
    UNION SELECT buyer_id FROM staged_price_check)`,
  // The rows of the buyers in the file, and rows with the same ids that belong to other buyers.
  assistant_grant: `buyer_id IN (SELECT buyer_id FROM staged_assistant_grant)
    OR id IN (SELECT id FROM staged_assistant_grant)`,
  deal_set: `id IN (SELECT id FROM staged_deal_set UNION SELECT deal_set_id FROM staged_price_check)`,
  price_check: `id IN (SELECT id FROM staged_price_check UNION SELECT price_check_id FROM staged_question
    UNION SELECT price_check_id FROM staged_draft UNION SELECT price_check_id FROM staged_reply)`,
  // Copied after the price checks, because the copied price checks refer to more dealerships.
  dealership: `id IN (SELECT id FROM staged_dealership UNION SELECT dealership_id FROM staged_price_check
    UNION SELECT dealership_id FROM pg_temp.affected_price_check)`,
  question: `id IN (SELECT id FROM staged_question)`,
  draft: `id IN (SELECT id FROM staged_draft)`,
  reply: `id IN (SELECT id FROM staged_reply)`,
  request_feed: `request_id IN (SELECT id FROM staged_deal_set UNION SELECT id FROM staged_price_check)`,
};

/**
 * Returns whether the tables are distributed over the nodes of a Citus cluster. The catalog in
 * which Citus records this exists only where its extension is installed.
 */
export async function isDistributed(client: ClientBase): Promise<boolean> {
  const catalog = await client.query(
    `SELECT 1 FROM pg_catalog.pg_class WHERE oid = to_regclass('pg_catalog.pg_dist_partition')`,
  );
  if (catalog.rows.length === 0) return false;
  const tables = await client.query(
    `SELECT 1 FROM pg_catalog.pg_dist_partition WHERE logicalrelid = 'deal_sets.request_feed'::regclass`,
  );
  return tables.rows.length > 0;
}

/** Reads the stored rows from the tables themselves. */
export const STORED_TABLES: StoredRelation = (table) => `deal_sets.${table}`;

/**
 * Copies the stored rows that the file affects into temporary tables, from which the import reads
 * them on Citus, because Citus can rarely join a temporary table with a distributed one. Call it
 * inside the savepoint of an attempt, whose rollback removes the copies.
 */
export async function copyStoredRows(client: ClientBase): Promise<StoredRelation> {
  for (const [table, isAffected] of Object.entries(AFFECTED_ROWS)) {
    const copy = `affected_${table}`;
    const affected = `SELECT * FROM deal_sets.${table} WHERE ${isAffected}`;
    await client.query(`CREATE TEMPORARY TABLE ${copy} ON COMMIT DROP AS ${affected}`);
    await client.query(`ANALYZE pg_temp.${copy}`);
  }
  return (table) => (table in AFFECTED_ROWS ? `pg_temp.affected_${table}` : STORED_TABLES(table));
}
