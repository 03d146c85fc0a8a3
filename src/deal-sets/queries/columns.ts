import type { PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';

/** Makes of what only the buyer's session may read a column of one type of principal. */
export type SessionOnly = (expression: string, type?: string) => string;

/** An assistant's statement does not name it and selects a null of its type, so both have the same columns. */
export function sessionOnlyFor(principalType: PrincipalType): SessionOnly {
  return (expression, type = 'text') =>
    READS_WITHHELD[principalType] ? expression : `NULL::${type}`;
}

/** The stored columns of one table that a statement's columns name. */
export function storedColumns(columns: string, table: string): string {
  const named = columns.matchAll(new RegExp(`\\b${table}\\.([a-z_]+)`, 'g'));
  return [...new Set(Array.from(named, ([column]) => column))].join(', ');
}

/** A statement's row as the driver returns it, by the names of its columns. */
export type StatementRow = Readonly<Record<string, unknown>>;

/** The facts that rows of one statement hold: a column named `car.year` is the member `year` of their `car`. */
export function factsOf(rows: readonly StatementRow[]): unknown[] {
  const columns = Object.keys(rows[0] ?? {});
  const paths = columns.map((name) => [name, ...name.split('.')] as [string, string, string?]);
  return rows.map((row) => {
    const facts: Record<string, unknown> = {};
    for (const [name, first, second] of paths) {
      if (second === undefined) facts[first] = row[name];
      else ((facts[first] ??= {}) as Record<string, unknown>)[second] = row[name];
    }
    return facts;
  });
}
