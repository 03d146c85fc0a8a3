import type { ClientBase } from 'pg';
import { RECORD_KINDS, THREAD_KINDS } from './record-kinds.js';
import { RECORD_TABLES } from './record-tables.js';
import type { StoredRelation } from './stored-relation.js';

/**
 * Runs one statement.
 *
 * @returns how many rows it wrote.
 */
export async function execute(
  client: ClientBase,
  sql: string,
  values?: unknown[],
): Promise<number> {
  return (await client.query(sql, values)).rowCount ?? 0;
}

/**
 * Sets the buyer of questions, drafts and replies to the buyer of their price check, which is in
 * the file or in the database.
 */
export async function resolveBuyers(client: ClientBase, stored: StoredRelation): Promise<void> {
  for (const { staging } of THREAD_KINDS.map((kind) => RECORD_TABLES[kind])) {
    await execute(
      client,
      `UPDATE ${staging} s SET buyer_id = p.buyer_id
       FROM (
         SELECT id, buyer_id FROM ${stored('price_check')}
         WHERE id IN (SELECT price_check_id FROM ${staging})
         UNION SELECT id, buyer_id FROM staged_price_check
       ) p WHERE p.id = s.price_check_id`,
    );
  }
}

/**
 * Stores the erasures of the file, then removes the records of erased buyers, and everything that
 * belongs to these buyers, from the temporary tables.
 *
 * @param mayRestore whether to keep these records, and to delete the erasures of their buyers.
 * @returns the number of records that were removed.
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
 * Keeps revoked sessions and grants revoked, because an import must not undo a revocation.
 *
 * @returns how many active sessions and grants of the file are revoked in the database.
 */
export async function keepRevoked(client: ClientBase, stored: StoredRelation): Promise<number> {
  let kept = 0;
  for (const { staging, table } of [RECORD_TABLES.session, RECORD_TABLES.grant]) {
    kept += await execute(
      client,
      `UPDATE ${staging} s SET revoked_at = t.revoked_at FROM ${stored(table)} t
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
