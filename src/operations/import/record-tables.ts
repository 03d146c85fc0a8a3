import type { ClientBase } from 'pg';
import { ALL_RULES, RECORD_KINDS, THREAD_KINDS } from './records.js';
import type { FileRecord } from './records.js';
import type { Rules } from './rules.js';

/** The kinds that are stored in tables, in the order of the foreign keys. */
export const TABLE_KINDS = ['erasedBuyer', ...RECORD_KINDS] as const;
/** A kind that is stored in a table. */
export type TableKind = (typeof TABLE_KINDS)[number];
type Values = Record<string, unknown>;

/** Where a kind's records are stored, and where they wait to be checked and merged. */
interface RecordTable {
  readonly table: string;
  /**
   * The temporary table. It has the columns of the table; `line`, the record's line in the file;
   * and `stamp` and `is_time_known`, which are the stamp in the record.
   */
  readonly staging: string;
  readonly key: readonly string[];
  /** The columns that the import writes and compares with stored rows. */
  readonly columns: readonly string[];
  /**
   * The columns that a record's keys set, including the stamps, which are not compared with stored
   * rows.
   */
  readonly staged: readonly string[];
}

const STAMPS = ['latest_activity_at', 'recorded_at', 'feed_at'];
/** The tables that are not named after their kind. */
const NAMES: Readonly<Record<string, string>> = {
  session: 'buyer_session',
  grant: 'assistant_grant',
};

function recordTable(kind: TableKind): RecordTable {
  const table = NAMES[kind] ?? snakeCase(kind);
  const staged = Object.keys(columnsOf(ALL_RULES[kind], {}));
  const own = staged.filter((name) => !STAMPS.includes(name));
  const isThread = THREAD_KINDS.some((thread) => thread === kind);
  const columns = isThread ? ['buyer_id', ...own] : own;
  const ids = ['buyer_id', 'id'].filter((name) => columns.includes(name));
  const key = ids.length > 0 ? ids : columns;
  return { table, staging: `staged_${table}`, key, columns, staged };
}

/** The tables of each kind. */
export const RECORD_TABLES = Object.fromEntries(
  TABLE_KINDS.map((kind) => [kind, recordTable(kind)]),
) as Readonly<Record<TableKind, RecordTable>>;

/**
 * Converts a record to the row of its table, in the JSON that PostgreSQL reads
 * (`jsonb_populate_record`).
 */
export function rowOf(record: FileRecord): Values {
  const { record: kind, ...keys } = record;
  if (record.record !== 'reply') return columnsOf(ALL_RULES[kind], keys);
  return columnsOf(ALL_RULES[kind], { ...keys, arrivedAt: record.arrivedAt ?? record.receivedAt });
}

/** Converts PostgreSQL's JSON of a row, in UTC, to its record: the inverse of `rowOf`. */
export function recordOf(kind: TableKind, row: Readonly<Values>): Values {
  return { record: kind, ...keysOf(ALL_RULES[kind], row) };
}

/** Returns the value of every column that the rules can set, for a record with these keys. */
function columnsOf(rules: Rules, keys: Readonly<Values>, prefix = ''): Values {
  const row: Values = {};
  for (const [key, rule] of Object.entries(rules)) {
    const value = keys[key] ?? rule.absent;
    if (rule.nested) {
      Object.assign(row, columnsOf(rule.nested.rules, (value ?? {}) as Values, rule.nested.prefix));
    } else if (rule.column !== null) {
      const isFormed = typeof value === 'string' && rule.conversion !== undefined;
      row[rule.column ?? prefix + snakeCase(key)] = isFormed ? rule.conversion.toRow(value) : value;
    }
  }
  return row;
}

function keysOf(rules: Rules, row: Readonly<Values>, prefix = ''): Values {
  const keys: Values = {};
  for (const [key, rule] of Object.entries(rules)) {
    if (rule.nested) {
      const inner = keysOf(rule.nested.rules, row, rule.nested.prefix);
      if (!rule.isOptional || Object.keys(inner).length > 0) keys[key] = inner;
      continue;
    }
    const stored = row[rule.column ?? prefix + snakeCase(key)] ?? undefined;
    if (stored === undefined) continue;
    keys[key] =
      typeof stored === 'string' && rule.conversion ? rule.conversion.fromRow(stored) : stored;
  }
  return keys;
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Moves the rows of `staged` to a temporary table for each kind, and analyzes each table for the
 * planner.
 */
export async function splitIntoStagingTables(client: ClientBase): Promise<void> {
  for (const kind of TABLE_KINDS) {
    const { table, staging } = RECORD_TABLES[kind];
    await client.query(
      `CREATE TEMPORARY TABLE ${staging} ON COMMIT DROP AS
       SELECT s.line, coalesce(s.row ->> 'latest_activity_at', s.row ->> 'recorded_at')::timestamptz AS stamp,
         s.row ? 'latest_activity_at' AS is_time_known, r.*
       FROM staged s, jsonb_populate_record(NULL::deal_sets.${table}, s.row) r WHERE s.kind = '${kind}'`,
    );
    await client.query(`ANALYZE ${staging}`);
  }
  await client.query('DROP TABLE staged');
}
