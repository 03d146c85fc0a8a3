import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { RECORD_KINDS, type RecordKind } from './record-kinds.js';
import { STAGED_TABLES, type StagedColumn } from './staged-tables.js';

/** Parts that a record must have, empty or not. */
const REQUIRED_PARTS = ['car', 'listing'];

/** A column as the import reads it. */
function jsonOf({ name, type }: Pick<StagedColumn, 'name' | 'type'>, of = 't'): string {
  if (type === 'bytea') return `encode(${of}.${name}, 'hex')`;
  if (type !== 'timestamptz') return `${of}.${name}`;
  return `to_char(${of}.${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Of keys and their values in SQL. */
const objectOf = (members: ReadonlyMap<string, string>): string =>
  `jsonb_strip_nulls(jsonb_build_object(${[...members].map(([key, sql]) => `'${key}', ${sql}`).join(', ')}))`;

/** The columns of a record's table where its keys are, `otdCents` within `price`. */
function membersOf(columns: readonly StagedColumn[]): Map<string, string> {
  const members = new Map<string, string>();
  const parts = new Map<string, Map<string, string>>();
  for (const column of columns) {
    const [key, inner] = column.path;
    if (key === undefined) continue;
    if (inner === undefined) members.set(key, jsonOf(column));
    else parts.set(key, (parts.get(key) ?? new Map<string, string>()).set(inner, jsonOf(column)));
  }
  for (const [key, ofPart] of parts) {
    const part = objectOf(ofPart);
    members.set(key, REQUIRED_PARTS.includes(key) ? part : `nullif(${part}, '{}')`);
  }
  return members;
}

const FEED_AT = { name: 'feed_at', type: 'timestamptz' };
/** The place of a request in the feed, on its own record. */
const PLACE: readonly (readonly [string, string])[] = [
  ['latestActivityAt', `CASE WHEN f.is_time_known THEN ${jsonOf(FEED_AT, 'f')} END`],
  ['recordedAt', `CASE WHEN NOT f.is_time_known THEN ${jsonOf(FEED_AT, 'f')} END`],
];
const FURTHER: Partial<Record<RecordKind, typeof PLACE>> = {
  dealSet: PLACE,
  priceCheck: PLACE,
  reply: [['arrivedAt', jsonOf(FEED_AT)]],
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
  const { table, key, columns } = STAGED_TABLES[kind];
  const members = [
    ['record', `'${kind}'`] as const,
    ...membersOf(columns),
    ...(FURTHER[kind] ?? []),
  ];
  const where = buyer === undefined ? '' : `WHERE ${ownedBy(kind, buyer)}`;
  return `SELECT ${objectOf(new Map(members))} FROM public.${table} t ${JOINS[kind] ?? ''} ${where}
    ORDER BY ${key.map((name) => `t.${name}`).join(', ')}`;
}

function ownedBy(kind: RecordKind, buyer: string): string {
  if (kind === 'buyer') return `t.id = '${buyer}'`;
  if (kind !== 'dealership') return `t.buyer_id = '${buyer}'`;
  return `EXISTS (SELECT 1 FROM public.price_check p WHERE p.buyer_id = '${buyer}' AND p.dealership_id = t.id)`;
}

const ERASED = `SELECT jsonb_build_object('record', 'erasedBuyer', 'idSha256', encode(e.id_sha256, 'hex'))
  FROM public.erased_buyer e ORDER BY 1`;
const NEWLINE = 0x0a;

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
