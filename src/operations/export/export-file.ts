import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { SET_LOCAL_OUTPUT } from '../../database/session-settings.js';
import { LineSplitter } from '../import/lines/line-splitter.js';
import {
  recordOf,
  RECORD_TABLES,
  TABLE_KINDS,
  type TableKind,
} from '../import/records/record-tables.js';

const STAMPS: Readonly<Record<string, string>> = {
  latest_activity_at: 'CASE WHEN f.is_time_known THEN f.feed_at END',
  recorded_at: 'CASE WHEN NOT f.is_time_known THEN f.feed_at END',
};
const feedOf = (kind: string, isRequest: string): string =>
  `LEFT JOIN deal_sets.request_feed f ON f.buyer_id = t.buyer_id AND f.request_id = t.id
     AND f.kind = '${kind}' AND ${isRequest}`;
const JOINS: Readonly<Record<string, string>> = {
  dealSet: feedOf('deal_set', 'true'),
  priceCheck: feedOf('single', 't.deal_set_id IS NULL'),
};

function whose(kind: TableKind, buyer: string): string {
  if (kind === 'erasedBuyer') return 'false';
  if (kind === 'buyer') return `t.id = '${buyer}'`;
  if (kind !== 'dealership') return `t.buyer_id = '${buyer}'`;
  return `EXISTS (SELECT 1 FROM deal_sets.price_check p WHERE p.buyer_id = '${buyer}' AND p.dealership_id = t.id)`;
}

/**
 * Selects a kind's rows as JSON. Columns are listed by name, because on Citus a whole row of a
 * shard has no column names.
 */
function queryOf(kind: TableKind, where: string): string {
  const { table, key, staged } = RECORD_TABLES[kind];
  const members = staged.map((name) => `'${name}', ${STAMPS[name] ?? `t.${name}`}`);
  return `SELECT jsonb_build_object(${members.join(', ')}) FROM deal_sets.${table} t ${JOINS[kind] ?? ''}
    WHERE ${where} ORDER BY ${key.map((name) => `t.${name}`).join(', ')}`;
}

/**
 * Exports everything that is stored, or everything about one buyer, as the lines of an import file,
 * from one snapshot. After `import --backfill` into an empty database, clients get the same
 * responses and can continue to poll.
 *
 * @param client a connection of the tables' owner; nothing else may use it during the export.
 * @param buyer a UUID. When undefined, the data of all buyers and the erased ids are exported.
 */
export async function* exportFile(client: Client, buyer?: string): AsyncGenerator<string> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(SET_LOCAL_OUTPUT);
  let records = 0;
  for (const kind of TABLE_KINDS) {
    const where = buyer === undefined ? 'true' : whose(kind, buyer);
    // JSON contains neither the quote nor the delimiter chosen here, so COPY writes it unchanged.
    const copy = `COPY (${queryOf(kind, where)}) TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')`;
    const rows = new LineSplitter(Infinity);
    for await (const chunk of client.query(copyTo(copy))) {
      let lines = '';
      for (const row of rows.push(chunk as Buffer)) {
        if (!('text' in row)) throw new Error(row.reason);
        lines += `${JSON.stringify(recordOf(kind, JSON.parse(row.text) as Record<string, unknown>))}\n`;
        records += 1;
      }
      yield lines;
    }
  }
  await client.query('COMMIT');
  yield `${JSON.stringify({ record: 'end', records })}\n`;
}
