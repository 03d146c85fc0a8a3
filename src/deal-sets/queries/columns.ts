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
