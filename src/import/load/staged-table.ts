import { getMetadataArgsStorage } from 'typeorm';
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

/** The spelling of PostgreSQL's casts for types that entities spell otherwise. */
const SHORT_TYPES: Readonly<Record<string, ColumnType>> = {
  'timestamp with time zone': 'timestamptz',
  'text array': 'text[]',
};

/**
 * The staged table of an entity, from its decorators: a connection, which would complete TypeORM's
 * metadata, is not needed for names and types.
 *
 * @param values by property, for each that the entity inserts.
 * @throws when a property has no value here, or a value has no property that is inserted.
 */
export function stagedTable<E extends object, R>(
  entity: new () => E,
  values: { readonly [P in keyof E]?: Column<R>['value'] },
  aside: readonly Column<R>[] = [],
): StagedTable<R> {
  const metadata = getMetadataArgsStorage();
  const table = metadata.tables.find(({ target }) => target === entity)?.name;
  if (table === undefined) throw new Error(`${entity.name} is no entity with a table name`);
  const inserted = metadata.filterColumns(entity).filter(({ options }) => options.insert !== false);
  const given = new Map(Object.entries<Column<R>['value'] | undefined>(values));
  const columns = inserted.map(({ propertyName, options }): Column<R> => {
    const value = given.get(propertyName);
    given.delete(propertyName);
    if (!value || !options.name) {
      throw new Error(
        `${entity.name}.${propertyName} has no value in the import, or no column name`,
      );
    }
    const type = String(options.type) + (options.array ? ' array' : '');
    return { name: options.name, type: SHORT_TYPES[type] ?? (type as ColumnType), value };
  });
  if (given.size > 0) {
    throw new Error(`${entity.name} does not insert ${[...given.keys()].join(', ')}`);
  }
  const key = inserted.flatMap(({ options }) => (options.primary ? [options.name ?? ''] : []));
  return { table, staging: `staged_${table}`, key, columns, aside };
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
