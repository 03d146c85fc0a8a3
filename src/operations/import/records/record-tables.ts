import type { ClientBase } from 'pg';
import { z } from 'zod';
import {
  ALL_KINDS,
  RECORD_KINDS,
  RECORDS,
  THREAD_KINDS,
  type FileKind,
  type FileRecord,
} from './records.js';
import { storage, withoutNull, type ObjectSchema, type Storage } from './values.js';

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

/** A key of a record, and how its value is stored. */
interface Key extends Storage {
  readonly name: string;
  readonly column: string | null;
  readonly isOptional: boolean;
  /** The keys of a nested object, which has no column of its own. */
  readonly keys?: readonly Key[];
}

function keysOf({ shape }: ObjectSchema, prefix = ''): readonly Key[] {
  return Object.entries(shape).map(([name, schema]) => {
    const inner = withoutNull(schema);
    const stored = { ...storage.get(inner), ...storage.get(schema) };
    return {
      column: prefix + snakeCase(name),
      ...stored,
      name,
      isOptional: schema instanceof z.ZodOptional,
      ...(inner instanceof z.ZodObject && { keys: keysOf(inner, stored.prefix) }),
    };
  });
}

const KEYS = Object.fromEntries(ALL_KINDS.map((kind) => [kind, keysOf(RECORDS[kind])])) as Readonly<
  Record<FileKind, readonly Key[]>
>;

function columnNames(keys: readonly Key[]): readonly string[] {
  return keys.flatMap(({ keys: inner, column }) =>
    inner ? columnNames(inner) : column === null ? [] : [column],
  );
}

function recordTable(kind: TableKind): RecordTable {
  const table = NAMES[kind] ?? snakeCase(kind);
  const staged = columnNames(KEYS[kind]);
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
  const { record: kind, ...values } = record;
  if (record.record !== 'reply') return columnsOf(KEYS[kind], values);
  return columnsOf(KEYS[kind], { ...values, arrivedAt: record.arrivedAt ?? record.receivedAt });
}

/** Converts PostgreSQL's JSON of a row, in UTC, to its record: the inverse of `rowOf`. */
export function recordOf(kind: TableKind, row: Readonly<Values>): Values {
  return { record: kind, ...valuesOf(KEYS[kind], row) };
}

/** Returns the value of every column that the keys can set, for a record with these values. */
function columnsOf(keys: readonly Key[], values: Readonly<Values>): Values {
  const row: Values = {};
  for (const { name, column, keys: inner, absent, toRow } of keys) {
    const value = values[name] ?? absent;
    if (inner) Object.assign(row, columnsOf(inner, (value ?? {}) as Values));
    else if (column !== null)
      row[column] = typeof value === 'string' && toRow ? toRow(value) : value;
  }
  return row;
}

function valuesOf(keys: readonly Key[], row: Readonly<Values>): Values {
  const values: Values = {};
  for (const { name, column, keys: inner, isOptional, fromRow } of keys) {
    if (inner) {
      const value = valuesOf(inner, row);
      if (!isOptional || Object.keys(value).length > 0) values[name] = value;
    } else if (column !== null) {
      const value = row[column] ?? undefined;
      if (value !== undefined) {
        values[name] = typeof value === 'string' && fromRow ? fromRow(value) : value;
      }
    }
  }
  return values;
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
