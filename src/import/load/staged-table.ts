import { parseIsoTime } from '../../kernel/iso-time.js';

/** The PostgreSQL types that columns of an import have. */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'text[]'
  | 'bytea'
  | 'boolean'
  | 'integer'
  | 'bigint'
  | 'double precision'
  | 'timestamptz';

type Scalar = string | number | boolean | readonly string[] | null | undefined;

/** How a column of a table follows from a record. */
export interface Column<R> {
  readonly name: string;
  readonly type: ColumnType;
  readonly value: (record: R) => Scalar;
}

/** How the records of one kind become rows: first of a temporary table, then of the table itself. */
export interface StagedTable<R> {
  readonly table: string;
  /** The temporary table: the columns below, and `line`, the record's line in the file. */
  readonly staging: string;
  /** What identifies a row. */
  readonly key: readonly string[];
  readonly columns: readonly Column<R>[];
  /** Columns of the temporary table alone. */
  readonly aside: readonly Column<R>[];
}

// What COPY's text form gives a meaning to.
const SPECIAL = /[\\\n\r\t]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character] ?? character);
}

/** A value in COPY's text form. Times are floored to the millisecond, as everywhere in the service. */
export function copyText(value: Scalar, type: ColumnType): string {
  if (value === null || value === undefined) return '\\N';
  switch (type) {
    case 'timestamptz':
      return new Date(parseIsoTime(value as string) ?? NaN).toISOString();
    case 'bytea':
      return `\\\\x${value as string}`;
    case 'text[]': {
      const items = (value as readonly string[]).map(
        (item) => `"${item.replace(/["\\]/g, (character) => `\\${character}`)}"`,
      );
      return escaped(`{${items.join(',')}}`);
    }
    case 'text':
      return escaped(value as string);
    case 'boolean':
      return value === true ? 't' : 'f';
    default:
      return String(value);
  }
}
