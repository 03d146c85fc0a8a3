import type { ClientBase } from 'pg';
import { RECORD_KINDS, type RecordKind } from '../records/record-kinds.js';
import { STAGED_TABLES } from './staged-tables.js';

/** What became of a file's records. */
export interface MergeCounts {
  readonly added: number;
  readonly changed: number;
}

function parts(kind: RecordKind): {
  names: string;
  changing: string;
  staged: string;
  sameRow: string;
} {
  const { columns, key } = STAGED_TABLES[kind];
  const changing = columns.map(({ name }) => name).filter((name) => !key.includes(name));
  return {
    names: columns.map(({ name }) => name).join(', '),
    changing: changing.map((name) => `t.${name}`).join(', '),
    staged: changing.map((name) => `s.${name}`).join(', '),
    sameRow: key.map((name) => `t.${name} = s.${name}`).join(' AND '),
  };
}

async function run(client: ClientBase, sql: string): Promise<number> {
  return (await client.query(sql)).rowCount ?? 0;
}

/** The kinds whose rows are parts of a request that may have another id. */
const OF_REQUEST: ReadonlySet<RecordKind> = new Set(['priceCheck', 'question', 'draft', 'reply']);

/**
 * Existing rows that differ. An equal row is not updated: it must not stamp its request.
 *
 * They are locked in the order of their requests first, the order that all writers keep to.
 */
function change(client: ClientBase, kind: RecordKind): Promise<number> {
  const { table, staging, key } = STAGED_TABLES[kind];
  const { changing, staged, sameRow } = parts(kind);
  const targets = changing.replaceAll('t.', '');
  const order = OF_REQUEST.has(kind) ? ['buyer_id', 'request_id', 'id'] : key;
  return run(
    client,
    `UPDATE public.${table} t SET (${targets}) = ROW (${staged}) FROM (
       SELECT s.* FROM ${staging} s JOIN ${table} t ON ${sameRow}
       WHERE ROW (${changing}) IS DISTINCT FROM ROW (${staged})
       ORDER BY ${order.map((name) => `t.${name}`).join(', ')} FOR NO KEY UPDATE OF t
     ) s
     WHERE ${sameRow}`,
  );
}

function add(client: ClientBase, kind: RecordKind): Promise<number> {
  const { table, staging, key } = STAGED_TABLES[kind];
  const { names: own, sameRow } = parts(kind);
  const names = kind === 'reply' ? `${own}, feed_at` : own;
  return run(
    client,
    `INSERT INTO public.${table} (${names}) SELECT ${names} FROM ${staging} s
     WHERE NOT EXISTS (SELECT FROM ${table} t WHERE ${sameRow}) ORDER BY ${key.join(', ')}`,
  );
}

/**
 * A grant that differs is taken out and put in anew: at no moment may an assistant have two live grants
 * of a buyer, and a row-by-row update can pass through such a moment when grants swap places.
 */
async function replaceGrants(client: ClientBase): Promise<MergeCounts> {
  const { table, staging } = STAGED_TABLES.grant;
  const { changing, staged, sameRow } = parts('grant');
  const changed = await run(
    client,
    `DELETE FROM public.${table} t USING ${staging} s
     WHERE ${sameRow} AND ROW (${changing}) IS DISTINCT FROM ROW (${staged})`,
  );
  return { changed, added: (await add(client, 'grant')) - changed };
}

/**
 * Brings the tables to what the temporary tables hold. `onKind` runs before each kind of record.
 *
 * Dealerships that are already there change last: that may touch requests of many buyers and then takes
 * the feed's lock of all buyers, which must come after every row lock that other writers may hold.
 */
export async function merge(
  client: ClientBase,
  onKind: (kind: RecordKind) => void,
): Promise<MergeCounts> {
  let added = 0;
  let changed = 0;
  for (const kind of RECORD_KINDS) {
    onKind(kind);
    if (kind === 'grant') {
      const grants = await replaceGrants(client);
      added += grants.added;
      changed += grants.changed;
      continue;
    }
    if (kind !== 'dealership') changed += await change(client, kind);
    added += await add(client, kind);
  }
  changed += await change(client, 'dealership');
  return { added, changed };
}
