import type { PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';

/** Returns an expression for a session and a typed null for an assistant. */
export type SessionOnly = (expression: string, type?: string) => string;

/**
 * Returns the `SessionOnly` of a principal type. An assistant's statement selects a null of the
 * type without naming the column, so both statements have the same columns.
 */
export function sessionOnlyFor(principalType: PrincipalType): SessionOnly {
  return (expression, type = 'text') =>
    READS_WITHHELD[principalType] ? expression : `NULL::${type}`;
}

/** Lists the stored columns of one table that a statement's columns use. */
export function storedColumns(columns: string, table: string): string {
  const named = columns.matchAll(new RegExp(`\\b${table}\\.([a-z_]+)`, 'g'));
  return [...new Set(Array.from(named, ([column]) => column))].join(', ');
}

/** A statement's row as the driver returns it, by column name. */
export type StatementRow = Readonly<Record<string, unknown>>;

/** Converts rows to facts: a column named `car.year` becomes the member `year` of `car`. */
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
