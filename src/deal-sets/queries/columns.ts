import type { ByPrincipalType, PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';

/**
 * A column of a statement: what it selects under which name. The name is the path of the fact that the column
 * becomes, so that rows come out as facts. Columns that only the buyer's session may read have their type:
 * an assistant's statement does not name them and selects a constant null, so both have the same columns.
 */
export type Column = readonly [
  fact: string,
  expression: string | ByPrincipalType<string>,
  sessionOnlyType?: string,
];

/** The columns as a statement lists them. */
export function columnList(principalType: PrincipalType, columns: readonly Column[]): string {
  return columns
    .map(([fact, expression, sessionOnlyType]) => {
      const own = typeof expression === 'string' ? expression : expression[principalType];
      const selected =
        sessionOnlyType === undefined ? own : forSession(principalType, own, sessionOnlyType);
      return `${selected} AS "${fact}"`;
    })
    .join(',\n  ');
}

/** The stored columns of one table that a list of columns names. */
export function storedColumns(columns: string, table: string): string {
  const named = columns.matchAll(new RegExp(`\\b${table}\\.([a-z_]+)`, 'g'));
  return [...new Set(Array.from(named, ([column]) => column))].join(', ');
}

/** What the session's statement reads, and a null of its type in an assistant's. */
export function forSession(principalType: PrincipalType, expression: string, type: string): string {
  return READS_WITHHELD[principalType] ? expression : `NULL::${type}`;
}

/** A statement's row as the driver returns it, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

const PATHS = new Map<string, readonly string[]>();

function pathOf(column: string): readonly string[] {
  let path = PATHS.get(column);
  if (!path) {
    path = column.split('.');
    PATHS.set(column, path);
  }
  return path;
}

/** The facts that a row's columns become: a column named `car.year` is the member `year` of its `car`. */
export function factsOf(row: Row): unknown {
  const facts: Record<string, unknown> = {};
  for (const column of Object.keys(row)) {
    const path = pathOf(column);
    let part = facts;
    for (const name of path.slice(0, -1)) part = (part[name] ??= {}) as Record<string, unknown>;
    part[path.at(-1) ?? column] = row[column];
  }
  return facts;
}
