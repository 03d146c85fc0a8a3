import type { ClientBase } from 'pg';
import { RECORD_TABLES } from '../records/record-tables.js';
import { RECORD_KINDS, type RecordKind } from '../records/records.js';
import { execute } from '../staging/resolve-rows.js';
import type { StoredRelation } from '../staging/stored-relation.js';

/** The kinds whose rows contain the id of the request to which they belong, as `request_id`. */
const KINDS_OF_REQUESTS: ReadonlySet<RecordKind> = new Set([
  'priceCheck',
  'question',
  'draft',
  'reply',
]);

/** The number of rows after which progress is reported. */
const ROWS_PER_STEP = 5_000;

/** What an import did with the records of one kind. */
export interface KindSummary {
  /** Records of this kind in the file. */
  readonly records: number;
  readonly added: number;
  readonly changed: number;
}

/**
 * Builds the SQL that updates a kind's table to match its temporary table: one statement for the
 * rows that differ from the stored ones, and one for the new rows. Dealerships are changed by a
 * list, and grants in two steps.
 *
 * @param within the condition for the rows `s` of the temporary table.
 */
function statementsOf(kind: RecordKind, stored: StoredRelation, within = 'true') {
  const { table, staging, key, columns } = RECORD_TABLES[kind];
  const others = columns.filter((name) => !key.includes(name));
  const qualify = (names: readonly string[], alias: string): string =>
    names.map((name) => `${alias}.${name}`).join(', ');
  const sameRow = key.map((name) => `t.${name} = s.${name}`).join(' AND ');
  const differs = `ROW (${qualify(others, 't')}) IS DISTINCT FROM ROW (${qualify(others, 's')})`;
  const order = KINDS_OF_REQUESTS.has(kind) ? ['buyer_id', 'request_id', 'id'] : key;
  const inserted = columns.join(', ');
  // A row that does not differ is not updated, because the update would stamp its request. The rows
  // that differ are first locked in the order of their requests, as all writers lock them.
  const changed = `SELECT s.* FROM ${staging} s JOIN ${stored(table)} t ON ${sameRow} WHERE ${differs} AND ${within}
    ORDER BY ${qualify(order, 't')} FOR NO KEY UPDATE OF t`;
  // A session or grant that was revoked after the file was checked stays as it is.
  const mayChange = columns.includes('revoked_at')
    ? 'NOT (t.revoked_at IS NOT NULL AND s.revoked_at IS NULL)'
    : 'true';
  const changeFrom = (rows: string, condition = mayChange): string =>
    `UPDATE deal_sets.${table} t SET (${others.join(', ')}) = ROW (${qualify(others, 's')}) FROM ${rows} s
     WHERE ${sameRow} AND ${condition}`;
  return {
    changed,
    change: changeFrom(`(${changed})`),
    changeByList: changeFrom(`jsonb_populate_recordset(NULL::deal_sets.${table}, $1)`),
    add: `INSERT INTO deal_sets.${table} (${inserted}) SELECT ${inserted} FROM ${staging} s
      WHERE NOT EXISTS (SELECT 1 FROM ${stored(table)} t WHERE ${sameRow}) AND ${within}
      ORDER BY ${key.join(', ')}`,
    closeGrants: `UPDATE deal_sets.${table} t SET revoked_at = t.granted_at FROM ${staging} s
      WHERE ${sameRow} AND ${differs} AND ${within} AND ${mayChange} RETURNING t.id`,
    changeGrants: changeFrom(staging, 't.id = ANY ($1)'),
  };
}

/**
 * Divides a temporary table into ranges of buyers with about `ROWS_PER_STEP` rows each, because
 * PostgreSQL reports no progress of a statement that inserts or updates. The rows of one buyer are
 * never divided, because requests are locked in the order of their buyers and ids.
 *
 * @returns the condition for the rows `s` of each range, in order.
 */
async function buyerRanges(client: ClientBase, kind: RecordKind): Promise<readonly string[]> {
  const { staging, key } = RECORD_TABLES[kind];
  if (!key.includes('buyer_id')) return ['true'];
  const { rows } = await client.query<{ buyer_id: string }>(
    `SELECT DISTINCT buyer_id FROM (
       SELECT buyer_id, row_number() OVER (ORDER BY buyer_id) AS number FROM ${staging}
     ) numbered WHERE number % ${ROWS_PER_STEP} = 0 ORDER BY buyer_id`,
  );
  if (rows.length === 0) return ['true'];
  await client.query(`CREATE INDEX ON ${staging} (buyer_id, id)`);
  await client.query(`ANALYZE ${staging}`);
  const ends = rows.map(({ buyer_id: id }) => `s.buyer_id < '${id}'`);
  const starts = rows.map(({ buyer_id: id }) => `s.buyer_id >= '${id}'`);
  return [...ends, 'true'].map((end, index) => `${starts[index - 1] ?? 'true'} AND ${end}`);
}

/**
 * Updates the tables to match the temporary tables.
 *
 * Stored dealerships are changed last, because this takes the locks of the dealerships and of their
 * price checks, and those must be taken after every row lock that other writers may hold.
 *
 * @param onWriting called before the records of each kind are written and after each part of them,
 *   with the share of these records that is written.
 */
export async function merge(
  client: ClientBase,
  stored: StoredRelation,
  onWriting: (kind: RecordKind, share: number) => void,
): Promise<Record<RecordKind, Omit<KindSummary, 'records'>>> {
  const counts = {} as Record<RecordKind, { added: number; changed: number }>;
  for (const kind of RECORD_KINDS) {
    onWriting(kind, 0);
    const count = { added: 0, changed: 0 };
    counts[kind] = count;
    const ranges = await buyerRanges(client, kind);
    for (const [index, within] of ranges.entries()) {
      const statements = statementsOf(kind, stored, within);
      if (kind === 'grant') count.changed += await changeGrants(client, statements);
      else if (kind !== 'dealership') count.changed += await execute(client, statements.change);
      count.added += await execute(client, statements.add);
      onWriting(kind, (index + 1) / ranges.length);
    }
  }
  counts.dealership.changed = await changeDealerships(client, stored);
  return counts;
}

/**
 * Changes the stored grants, first all of them to a revoked state, because updates of single rows
 * could briefly leave two active grants of a buyer for one assistant.
 *
 * @returns how many were changed.
 */
async function changeGrants(
  client: ClientBase,
  statements: ReturnType<typeof statementsOf>,
): Promise<number> {
  const { rows } = await client.query<{ id: string }>(statements.closeGrants);
  return execute(client, statements.changeGrants, [rows.map(({ id }) => id)]);
}

/**
 * Changes the stored dealerships. The new values are passed as a list, because on Citus a table
 * that is on every node cannot be updated from a temporary table.
 */
async function changeDealerships(client: ClientBase, stored: StoredRelation): Promise<number> {
  const { changed, changeByList } = statementsOf('dealership', stored);
  const { rows } = await client.query<{ list: string | null }>(
    `SELECT jsonb_agg(d)::text AS list FROM (${changed}) d`,
  );
  const list = rows[0]?.list;
  return list ? execute(client, changeByList, [list]) : 0;
}

/**
 * Renews the price checks of the dealerships whose name or partner status the file changes. A
 * distributed database has no trigger that does this. There, the stored rows that are compared are
 * copies from before the change.
 */
export async function renewPriceChecks(client: ClientBase, stored: StoredRelation): Promise<void> {
  const isPartner = (alias: string): string => `coalesce(${alias}.verified_partner, false)`;
  const { rows } = await client.query<{ changed: string[] | null }>(
    `SELECT array_agg(s.id) AS changed FROM staged_dealership s JOIN ${stored('dealership')} o ON o.id = s.id
     WHERE s.name <> o.name OR ${isPartner('s')} <> ${isPartner('o')}`,
  );
  const changed = rows[0]?.changed;
  if (changed) await client.query('SELECT deal_sets.renew_price_checks($1)', [changed]);
}

/** Counts the parts of the file's listings that are not shown to any principal. */
export async function countWithheldParts(client: ClientBase): Promise<number> {
  const names = ['make', 'model', 'trim', 'exterior_color'];
  const written = names.map((name) => `nullif(btrim(p.listing_${name}), '')`).join(', ');
  const shown = names.map((name) => `p.shown_${name}`).join(', ');
  const { rows: counts } = await client.query<{ count: number }>(
    `SELECT coalesce(sum(num_nonnulls(${written}) - num_nonnulls(${shown})), 0)::integer AS count
     FROM staged_price_check s JOIN deal_sets.price_check p ON p.buyer_id = s.buyer_id AND p.id = s.id`,
  );
  return counts[0]?.count ?? 0;
}
