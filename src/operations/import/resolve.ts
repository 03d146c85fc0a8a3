import type { ClientBase } from 'pg';
import { RECORD_KINDS, THREAD_KINDS } from './record-kinds.js';
import { RECORD_TABLES } from './record-tables.js';

/** Runs one statement. @returns how many rows it wrote. */
export async function execute(
  client: ClientBase,
  sql: string,
  values?: unknown[],
): Promise<number> {
  return (await client.query(sql, values)).rowCount ?? 0;
}

/** For each table that Citus distributes, the stored rows that a file affects. */
const AFFECTED_ROWS: Readonly<Record<string, string>> = {
  buyer: `id IN (SELECT id FROM staged_buyer UNION SELECT buyer_id FROM staged_buyer_session
    UNION SELECT buyer_id FROM staged_assistant_grant UNION SELECT buyer_id FROM staged_deal_set
    UNION SELECT buyer_id FROM staged_price_check)`,
  // The buyer's rows, and rows with the same ids that belong to another buyer.
  assistant_grant: `buyer_id IN (SELECT buyer_id FROM staged_assistant_grant)
    OR id IN (SELECT id FROM staged_assistant_grant)`,
  deal_set: `id IN (SELECT id FROM staged_deal_set UNION SELECT deal_set_id FROM staged_price_check)`,
  price_check: `id IN (SELECT id FROM staged_price_check UNION SELECT price_check_id FROM staged_question
    UNION SELECT price_check_id FROM staged_draft UNION SELECT price_check_id FROM staged_reply)`,
  // After the price checks, because copied price checks refer to some of them.
  dealership: `id IN (SELECT id FROM staged_dealership UNION SELECT dealership_id FROM staged_price_check
    UNION SELECT dealership_id FROM pg_temp.price_check)`,
  question: `id IN (SELECT id FROM staged_question)`,
  draft: `id IN (SELECT id FROM staged_draft)`,
  reply: `id IN (SELECT id FROM staged_reply)`,
  request_feed: `request_id IN (SELECT id FROM staged_deal_set UNION SELECT id FROM staged_price_check)`,
};

/**
 * Copies the stored rows that the file affects into temporary tables of the same names, because
 * Citus rarely joins a temporary table with a distributed one. A statement that names a table
 * without its schema reads the copy. Call it inside the savepoint of an attempt, with which the
 * copies disappear.
 */
export async function copyAffectedRowsForCitus(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_catalog.pg_class WHERE oid = to_regclass('pg_catalog.pg_dist_partition')`,
  );
  if (rows.length === 0) return;
  for (const [table, isConcerned] of Object.entries(AFFECTED_ROWS)) {
    const concerned = `SELECT * FROM public.${table} WHERE ${isConcerned}`;
    await client.query(`CREATE TEMPORARY TABLE ${table} ON COMMIT DROP AS ${concerned}`);
    await client.query(`ANALYZE pg_temp.${table}`);
  }
}

/**
 * Sets the buyer of questions, drafts and replies to that of their price check, in the file or
 * stored.
 */
export async function resolveBuyers(client: ClientBase): Promise<void> {
  for (const { staging } of THREAD_KINDS.map((kind) => RECORD_TABLES[kind])) {
    await execute(
      client,
      `UPDATE ${staging} s SET buyer_id = p.buyer_id
       FROM (
         SELECT id, buyer_id FROM price_check WHERE id IN (SELECT price_check_id FROM ${staging})
         UNION SELECT id, buyer_id FROM staged_price_check
       ) p WHERE p.id = s.price_check_id`,
    );
  }
}

/**
 * Removes and counts the records of erased buyers with everything that belongs to them. Erasures of
 * the file apply here too.
 *
 * @param mayRestore whether these records are loaded instead and the erasures forgotten.
 */
export async function skipErased(client: ClientBase, mayRestore: boolean): Promise<number> {
  await execute(
    client,
    `INSERT INTO public.erased_buyer (id_sha256) SELECT DISTINCT id_sha256 FROM staged_erased_buyer
     ON CONFLICT DO NOTHING`,
  );
  if (mayRestore) {
    await execute(
      client,
      `DELETE FROM public.erased_buyer e USING staged_buyer s WHERE e.id_sha256 = sha256(s.id::text::bytea)`,
    );
    return 0;
  }
  let skipped = 0;
  for (const kind of RECORD_KINDS.filter((recordKind) => recordKind !== 'dealership')) {
    const owner = kind === 'buyer' ? 'id' : 'buyer_id';
    skipped += await execute(
      client,
      `DELETE FROM ${RECORD_TABLES[kind].staging} s USING public.erased_buyer e
       WHERE e.id_sha256 = sha256(s.${owner}::text::bytea)`,
    );
  }
  return skipped;
}

/**
 * An import never undoes a revocation.
 *
 * @returns how many active sessions and grants of the file are revoked in the database.
 */
export async function keepRevoked(client: ClientBase): Promise<number> {
  let kept = 0;
  for (const { staging, table } of [RECORD_TABLES.session, RECORD_TABLES.grant]) {
    kept += await execute(
      client,
      `UPDATE ${staging} s SET revoked_at = t.revoked_at FROM ${table} t
       WHERE t.buyer_id = s.buyer_id AND t.id = s.id AND t.revoked_at IS NOT NULL AND s.revoked_at IS NULL`,
    );
  }
  return kept;
}

/** Keeps the last of several lines with the same id. */
export async function keepLastOfEachId(client: ClientBase): Promise<void> {
  for (const { staging } of RECORD_KINDS.map((kind) => RECORD_TABLES[kind])) {
    await execute(
      client,
      `DELETE FROM ${staging} s USING (
         SELECT id, max(line) AS line FROM ${staging} GROUP BY id HAVING count(*) > 1
       ) kept WHERE kept.id = s.id AND s.line < kept.line`,
    );
  }
}
