import { getMetadataArgsStorage } from 'typeorm';

/** A column of a staged table. */
export interface StagedColumn {
  readonly name: string;
  /** PostgreSQL's name of it. */
  readonly type: string;
  /** SQL: its value in the `record` of a line, which is `jsonb`. */
  readonly value: string;
  /** Where it is in the record: keys, joined by dots; null: nowhere. */
  readonly path: string | null;
}

/** Where a table's rows wait to be checked and merged. */
export interface StagedTable {
  readonly table: string;
  /** The temporary table: the columns below, and `line`, the record's line in the file. */
  readonly staging: string;
  /** What identifies a row. */
  readonly key: readonly string[];
  readonly columns: readonly StagedColumn[];
  /** Columns of the temporary table alone. */
  readonly aside: readonly StagedColumn[];
}

export interface StagedTableOptions<E> {
  /** Objects within the record: `car` holds the values of `carYear`, `carMake`, and so on. */
  readonly parts?: readonly string[];
  /** Where else a value is in the record: keys, joined by dots; null: nowhere. Default: under the property's name. */
  readonly paths?: { readonly [P in keyof E]?: string | null };
  readonly aside?: readonly StagedColumn[];
}

/** A time that only an import has a use for. */
export function timeAside(name: string, path: string): StagedColumn {
  return column(name, 'timestamp with time zone', path);
}

/**
 * The staged table of an entity, from its decorators: a connection, which would complete TypeORM's
 * metadata, is not needed for names and types.
 *
 * @throws when a path is given for a property that the entity does not insert.
 */
export function stagedTable<E extends object>(
  entity: new () => E,
  { parts = [], paths = {}, aside = [] }: StagedTableOptions<E> = {},
): StagedTable {
  const metadata = getMetadataArgsStorage();
  const table = metadata.tables.find(({ target }) => target === entity)?.name;
  if (table === undefined) throw new Error(`${entity.name} is no entity with a table name`);
  const inserted = metadata.filterColumns(entity).filter(({ options }) => options.insert !== false);
  const given = new Map(Object.entries<string | null | undefined>(paths));
  const columns = inserted.map(({ propertyName, options }) => {
    const path = given.has(propertyName) ? given.get(propertyName) : pathOf(propertyName, parts);
    given.delete(propertyName);
    const type = String(options.type) + (options.array ? '[]' : '');
    return column(options.name ?? propertyName, type, path ?? null, options.default === false);
  });
  if (given.size > 0) {
    throw new Error(`${entity.name} does not insert ${[...given.keys()].join(', ')}`);
  }
  const key = inserted.flatMap(({ options }) => (options.primary ? [options.name ?? ''] : []));
  return { table, staging: `staged_${table}`, key, columns, aside };
}

function pathOf(property: string, parts: readonly string[]): string {
  const part = parts.find((name) => property.startsWith(name));
  if (part === undefined) return property;
  const [first = '', ...rest] = property.slice(part.length);
  return `${part}.${first.toLowerCase()}${rest.join('')}`;
}

function column(
  name: string,
  type: string,
  path: string | null,
  isFalseByDefault = false,
): StagedColumn {
  if (path === null) return { name, type, path, value: `NULL::${type}` };
  const keys = `'{${path.replaceAll('.', ',')}}'`;
  const text = `record #>> ${keys}`;
  if (type === 'bytea') return { name, type, path, value: `decode(${text}, 'hex')` };
  if (type === 'text[]') {
    const value = `ARRAY(SELECT jsonb_array_elements_text(record #> ${keys}))`;
    return { name, type, path, value };
  }
  const value = `(${text})::${type}`;
  return { name, type, path, value: isFalseByDefault ? `coalesce(${value}, false)` : value };
}
