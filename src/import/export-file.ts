import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { RECORD_KINDS, type RecordKind } from './records/record-kinds.js';
import type { StagedColumn } from './load/staged-table.js';
import { STAGED_TABLES } from './load/staged-tables.js';

/** Parts that a record must have, empty or not. */
const REQUIRED_PARTS = ['car', 'listing'];

/** As text, by type: what the import reads. */
function jsonOf({ name, type }: Pick<StagedColumn, 'name' | 'type'>, of = 't'): string {
  if (type === 'bytea') return `encode(${of}.${name}, 'hex')`;
  if (!type.startsWith('timestamp')) return `${of}.${name}`;
  return `to_char(${of}.${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** A key of a record and its value in SQL. */
type Member = readonly [key: string, sql: string];

const objectOf = (members: readonly Member[]): string =>
  `jsonb_strip_nulls(jsonb_build_object(${members.map(([key, sql]) => `'${key}', ${sql}`).join(', ')}))`;

/** The columns of a record's table where its keys are, `price.otdCents` within `price`. */
function membersOf({ columns }: { readonly columns: readonly StagedColumn[] }): Member[] {
  const members: Member[] = [];
  const parts = new Map<string, Member[]>();
  for (const column of columns) {
    if (column.path === null) continue;
    const [first = '', rest] = column.path.split('.');
    if (rest === undefined) members.push([first, jsonOf(column)]);
    else parts.set(first, [...(parts.get(first) ?? []), [rest, jsonOf(column)]]);
  }
  for (const [name, ofPart] of parts) {
    const part = objectOf(ofPart);
    members.push([name, REQUIRED_PARTS.includes(name) ? part : `nullif(${part}, '{}')`]);
  }
  return members;
}

const FEED_AT = jsonOf({ name: 'feed_at', type: 'timestamp' }, 'f');
/** The place of a request in the feed, on its own record. */
const PLACE: readonly Member[] = [
  ['latestActivityAt', `CASE WHEN f.is_time_known THEN ${FEED_AT} END`],
  ['recordedAt', `CASE WHEN NOT f.is_time_known THEN ${FEED_AT} END`],
];
const FURTHER: Partial<Record<RecordKind, readonly Member[]>> = {
  dealSet: PLACE,
  priceCheck: PLACE,
  reply: [['arrivedAt', jsonOf({ name: 'feed_at', type: 'timestamp' })]],
};
const feedOf = (kind: string, isRequest: string): string =>
  `LEFT JOIN public.request_feed f ON f.buyer_id = t.buyer_id AND f.request_id = t.id
     AND f.kind = '${kind}' AND ${isRequest}`;
const JOINS: Partial<Record<RecordKind, string>> = {
  dealSet: feedOf('deal_set', 'true'),
  priceCheck: feedOf('single', 't.deal_set_id IS NULL'),
};

/** The query of a kind's records, each as JSON. `buyer`: a UUID, checked before; undefined: of everyone. */
function queryOf(kind: RecordKind, buyer: string | undefined): string {
  const table = STAGED_TABLES[kind];
  const record = objectOf([['record', `'${kind}'`], ...membersOf(table), ...(FURTHER[kind] ?? [])]);
  const where = buyer === undefined ? '' : `WHERE ${ownedBy(kind, buyer)}`;
  const order = table.key.map((name) => `t.${name}`).join(', ');
  return `SELECT ${record} FROM public.${table.table} t ${JOINS[kind] ?? ''} ${where} ORDER BY ${order}`;
}

function ownedBy(kind: RecordKind, buyer: string): string {
  if (kind === 'buyer') return `t.id = '${buyer}'`;
  if (kind !== 'dealership') return `t.buyer_id = '${buyer}'`;
  return `EXISTS (SELECT FROM public.price_check p WHERE p.buyer_id = '${buyer}' AND p.dealership_id = t.id)`;
}

const ERASED = `SELECT jsonb_build_object('record', 'erasedBuyer', 'idSha256', encode(e.id_sha256, 'hex'))
  FROM public.erased_buyer e ORDER BY 1`;

/**
 * Everything that is stored, or everything about one buyer, as the lines of an import file: `import --backfill` of it
 * into an empty database gives clients what they got before, and their polls go on. All of it is of one moment.
 *
 * @param client the tables' owner; nothing else may use it meanwhile.
 * @param buyer a UUID. Undefined: of everyone, and who was erased.
 */
export async function* exportFile(
  client: Client,
  buyer: string | undefined,
): AsyncGenerator<Buffer> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  let records = 0;
  const queries = RECORD_KINDS.map((kind) => queryOf(kind, buyer));
  for (const query of buyer === undefined ? [ERASED, ...queries] : queries) {
    // JSON has neither of the two characters, so that COPY writes it as it is.
    const copy = `COPY (${query}) TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')`;
    for await (const chunk of client.query(copyTo(copy))) {
      const lines = chunk as Buffer;
      for (const byte of lines) if (byte === NEWLINE) records += 1;
      yield lines;
    }
  }
  await client.query('COMMIT');
  yield Buffer.from(`${JSON.stringify({ record: 'end', records })}\n`);
}

const NEWLINE = 0x0a;
