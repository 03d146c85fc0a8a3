import type { ClientBase } from 'pg';
import { RECORD_KINDS, THREAD_KINDS, type RecordKind } from '../records/records.js';
import { RECORD_TABLES } from '../records/record-tables.js';
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
    // The planner knew the column as empty, and would plan for no rows where there are thousands.
    await client.query(`ANALYZE ${staging}`);
  }
}

/**
 * Stores the erasures of the file, then removes the records of erased buyers, and everything that
 * belongs to these buyers, from the temporary tables.
 *
 * @param mayRestore whether to keep these records, and to delete the erasures of their buyers.
 * @returns the number of records of each kind that were removed.
 */
export async function skipErased(
  client: ClientBase,
  mayRestore: boolean,
): Promise<ReadonlyMap<RecordKind, number>> {
  await execute(
    client,
    `INSERT INTO deal_sets.erased_buyer (id_sha256) SELECT DISTINCT id_sha256 FROM staged_erased_buyer
     ON CONFLICT DO NOTHING`,
  );
  if (mayRestore) {
    await execute(
      client,
      `DELETE FROM deal_sets.erased_buyer e USING staged_buyer s WHERE e.id_sha256 = sha256(s.id::text::bytea)`,
    );
    return new Map();
  }
  const skipped = new Map<RecordKind, number>();
  for (const kind of RECORD_KINDS.filter((recordKind) => recordKind !== 'dealership')) {
    const owner = kind === 'buyer' ? 'id' : 'buyer_id';
    const count = await execute(
      client,
      `DELETE FROM ${RECORD_TABLES[kind].staging} s USING deal_sets.erased_buyer e
       WHERE e.id_sha256 = sha256(s.${owner}::text::bytea)`,
    );
    skipped.set(kind, count);
  }
  return skipped;
}

/**
 * Keeps revoked sessions and grants revoked, because an import must not undo a revocation.
 *
 * @returns how many sessions and grants are revoked in the database and live in the file.
 */
export async function keepRevoked(client: ClientBase, stored: StoredRelation): Promise<number> {
  let kept = 0;
  for (const { staging, table } of [RECORD_TABLES.session, RECORD_TABLES.grant]) {
    kept += await execute(
      client,
      `WITH kept AS (
         UPDATE ${staging} s SET revoked_at = t.revoked_at FROM ${stored(table)} t
         WHERE t.buyer_id = s.buyer_id AND t.id = s.id AND t.revoked_at IS NOT NULL AND s.revoked_at IS NULL
         RETURNING s.expires_at
       ) SELECT FROM kept WHERE expires_at IS NULL OR expires_at > statement_timestamp()`,
    );
  }
  return kept;
}

/**
 * Closes each expired grant that another grant of its buyer and assistant follows: it counts as
 * revoked at its expiry. Stored grants are closed too, by adding them to the grants of the file. An
 * expired grant that no other follows stays as it is, so that the log can report the expiry.
 */
export async function closeExpired(client: ClientBase, stored: StoredRelation): Promise<void> {
  const { columns } = RECORD_TABLES.grant;
  const hasExpired = 'expires_at <= statement_timestamp()';
  const notInFile = `t.revoked_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM staged_assistant_grant f WHERE f.id = t.id)`;
  await execute(
    client,
    `INSERT INTO staged_assistant_grant (line, ${columns.join(', ')})
     SELECT s.line, ${columns.map((name) => `t.${name}`).join(', ')}
     FROM ${stored('assistant_grant')} t JOIN (
       SELECT buyer_id, client_id, min(line) AS line
       FROM staged_assistant_grant WHERE revoked_at IS NULL GROUP BY buyer_id, client_id
     ) s ON s.buyer_id = t.buyer_id AND s.client_id = t.client_id
     WHERE ${notInFile} AND t.${hasExpired}`,
  );
  // Of several grants, the last one in this order stays: a live one, or the newest.
  await execute(
    client,
    `UPDATE staged_assistant_grant g SET revoked_at = g.expires_at FROM (
       SELECT id, lead(id) OVER (PARTITION BY buyer_id, client_id
         ORDER BY ${hasExpired} IS NOT TRUE, granted_at, id) AS follower
       FROM (
         SELECT id, buyer_id, client_id, granted_at, expires_at
         FROM staged_assistant_grant WHERE revoked_at IS NULL
         UNION ALL
         SELECT t.id, t.buyer_id, t.client_id, t.granted_at, t.expires_at
         FROM ${stored('assistant_grant')} t WHERE ${notInFile}
           AND EXISTS (SELECT 1 FROM staged_assistant_grant s WHERE s.buyer_id = t.buyer_id
             AND s.client_id = t.client_id AND s.revoked_at IS NULL AND s.${hasExpired})
       ) unrevoked
     ) followed
     WHERE followed.id = g.id AND followed.follower IS NOT NULL AND g.${hasExpired}`,
  );
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
