import type { ClientBase } from 'pg';
import { THREAD_KINDS } from './record-kinds.js';
import { RECORD_TABLES } from './record-tables.js';

const idsOf = (kind: keyof typeof RECORD_TABLES, column = 'id'): string =>
  `SELECT ${column} FROM ${RECORD_TABLES[kind].staging}`;

/** The rows whose column has a value of the file. */
const among = (column: string, ...values: readonly string[]): string =>
  `${column} IN (${values.join(' UNION ')})`;

const BUYERS = (['session', 'grant', 'dealSet', 'priceCheck'] as const).map((kind) =>
  idsOf(kind, 'buyer_id'),
);

/** Of each table that Citus distributes, the stored rows that a file concerns. */
const CONCERNED: Readonly<Record<string, string>> = {
  buyer: among('id', idsOf('buyer'), ...BUYERS),
  dealership: among('id', idsOf('dealership'), idsOf('priceCheck', 'dealership_id')),
  // Hers, and those of the same ids that are another buyer's.
  assistant_grant: `${among('buyer_id', idsOf('grant', 'buyer_id'))} OR ${among('id', idsOf('grant'))}`,
  deal_set: among('id', idsOf('dealSet'), idsOf('priceCheck', 'deal_set_id')),
  price_check: among(
    'id',
    idsOf('priceCheck'),
    ...THREAD_KINDS.map((kind) => idsOf(kind, 'price_check_id')),
  ),
  ...Object.fromEntries(
    THREAD_KINDS.map((kind) => [RECORD_TABLES[kind].table, among('id', idsOf(kind))]),
  ),
  request_feed: among('request_id', idsOf('dealSet'), idsOf('priceCheck')),
};

/**
 * Citus joins no temporary table with a distributed one in most of the statements of an import. So the stored rows that
 * the file concerns are brought over first, into temporary tables of the same names: what names a table without its
 * schema then reads them. One PostgreSQL reads the tables themselves, and is faster so.
 *
 * To be called inside the savepoint of an attempt, with which they go.
 */
export async function bringStoredRows(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_catalog.pg_class WHERE oid = to_regclass('pg_catalog.pg_dist_partition')`,
  );
  if (rows.length === 0) return;
  for (const [table, isConcerned] of Object.entries(CONCERNED)) {
    await client.query(
      `CREATE TEMPORARY TABLE ${table} ON COMMIT DROP AS
       SELECT * FROM public.${table} WHERE ${isConcerned}`,
    );
    await client.query(`ANALYZE pg_temp.${table}`);
  }
}
