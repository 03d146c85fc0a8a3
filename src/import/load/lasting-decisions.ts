import type { ClientBase } from 'pg';
import type { Problems } from '../problems.js';
import { RECORD_KINDS } from '../records/record-kinds.js';
import { STAGED_TABLES } from './staged-tables.js';

/** Who the file says was erased stays erased here too. A buyer who is stored is not erased by a file. */
export async function keepErased(client: ClientBase, problems: Problems): Promise<void> {
  const { rows } = await client.query<{ line: number }>(
    `SELECT s.line FROM staged s JOIN public.buyer b
       ON sha256(b.id::text::bytea) = decode(s.record ->> 'idSha256', 'hex') WHERE s.kind = 'erasedBuyer'`,
  );
  for (const { line } of rows) {
    const reason = 'is of a buyer who is stored here: run `deal-sets erase` for her first';
    problems.add({ line, key: 'erasedBuyer.idSha256', reason });
  }
  await client.query(
    `INSERT INTO public.erased_buyer (id_sha256)
     SELECT DISTINCT decode(record ->> 'idSha256', 'hex') FROM staged WHERE kind = 'erasedBuyer'
     ON CONFLICT DO NOTHING`,
  );
}

/**
 * Takes the records of erased buyers, and all that hangs on them, out of the file.
 *
 * @param mayRestore they are loaded, and their erasure is forgotten.
 * @returns how many records were taken out.
 */
export async function skipErased(client: ClientBase, mayRestore: boolean): Promise<number> {
  if (mayRestore) {
    await client.query(
      `DELETE FROM public.erased_buyer e USING staged_buyer s WHERE e.id_sha256 = sha256(s.id::text::bytea)`,
    );
    return 0;
  }
  const { rows } = await client.query<{ id: string }>(
    `SELECT s.id FROM (${ownersOf().join(' UNION ')}) s
     JOIN public.erased_buyer e ON e.id_sha256 = sha256(s.id::text::bytea)`,
  );
  if (rows.length === 0) return 0;
  const erased = [rows.map(({ id }) => id)];
  let skipped = 0;
  for (const kind of RECORD_KINDS) {
    if (kind === 'dealership') continue;
    const { staging } = STAGED_TABLES[kind];
    const owner = kind === 'buyer' ? 'id' : 'buyer_id';
    const { rowCount } = await client.query(
      `DELETE FROM ${staging} WHERE ${owner} = ANY ($1::uuid[])`,
      erased,
    );
    skipped += rowCount ?? 0;
  }
  return skipped;
}

function ownersOf(): string[] {
  const { buyer, session, grant, dealSet, priceCheck } = STAGED_TABLES;
  const owned = [session, grant, dealSet, priceCheck].map(
    ({ staging }) => `SELECT buyer_id FROM ${staging}`,
  );
  return [`SELECT id FROM ${buyer.staging}`, ...owned];
}

/**
 * An import never undoes a revocation: what is revoked stays revoked.
 *
 * @returns how many sessions and grants the file has live that are revoked.
 */
export async function keepRevoked(client: ClientBase): Promise<number> {
  let kept = 0;
  for (const { staging, table } of [STAGED_TABLES.session, STAGED_TABLES.grant]) {
    const { rowCount } = await client.query(
      `UPDATE ${staging} s SET revoked_at = t.revoked_at FROM public.${table} t
       WHERE t.buyer_id = s.buyer_id AND t.id = s.id AND t.revoked_at IS NOT NULL AND s.revoked_at IS NULL`,
    );
    kept += rowCount ?? 0;
  }
  return kept;
}

/** Parts of the file's listings that no principal is shown. */
export async function countHiddenParts(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT coalesce(sum(p.hidden_parts), 0)::integer AS count
     FROM staged_price_check s JOIN public.price_check p ON p.buyer_id = s.buyer_id AND p.id = s.id`,
  );
  return rows[0]?.count ?? 0;
}
