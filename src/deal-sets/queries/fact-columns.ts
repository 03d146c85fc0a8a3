import type { PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';

/**
 * The PostgreSQL type of a null that an assistant's statement selects in place of a withheld fact.
 */
export type SqlType =
  'text' | 'text[]' | 'integer' | 'bigint' | 'boolean' | 'double precision' | 'json' | 'uuid';

/**
 * One fact that a statement selects: the only declaration of its SQL, of the columns it reads, of
 * who may read it, and of its type. The name of the fact is its key in a catalogue.
 */
export interface FactColumn<Value> {
  /** The SQL expression, which uses the aliases of the statement. */
  readonly sql: string;
  /** The stored columns that the expression reads, each with its alias: `r.feed_at`. */
  readonly reads: readonly string[];
  /** Set for a fact that is withheld from assistants: the type of the null in its place. */
  readonly withheldAs?: SqlType;
  /** Never set. It exists so that TypeScript can infer the type of the value. */
  readonly value?: Value;
}

/** The facts of a statement's rows, by name. */
export type FactCatalogue = Readonly<Record<string, FactColumn<unknown>>>;

/** A row of a statement that selects these facts. */
export type FactRow<Facts extends FactCatalogue> = {
  readonly [Name in keyof Facts]: Facts[Name] extends FactColumn<infer Value> ? Value : never;
};

/** Returns a fact that is one stored column. */
export function column<Value>(alias: string, name: string): FactColumn<Value> {
  const qualified = `${alias}.${name}`;
  return { sql: qualified, reads: [qualified] };
}

/** Returns a fact that is computed from stored columns. */
export function expression<Value>(sql: string, reads: readonly string[]): FactColumn<Value> {
  return { sql, reads };
}

/**
 * Returns the fact as one that is withheld from assistants: their statement does not read its
 * columns and selects a null instead.
 *
 * @param type the PostgreSQL type of that null.
 */
export function sessionOnly<Value>(
  { sql, reads }: FactColumn<Value>,
  type: SqlType,
): FactColumn<Value | null> {
  return { sql, reads, withheldAs: type };
}

/** Returns the select list of the facts, for the statement of one type of principal. */
export function selectList(facts: FactCatalogue, principalType: PrincipalType): string {
  return Object.entries(facts)
    .map(([name, fact]) => `${sqlFor(fact, principalType)} AS "${name}"`)
    .join(',\n  ');
}

/** Returns the SQL of one fact, for the statement of one type of principal. */
export function sqlFor(
  { sql, withheldAs }: FactColumn<unknown>,
  principalType: PrincipalType,
): string {
  const isWithheld = withheldAs !== undefined && !READS_WITHHELD[principalType];
  return isWithheld ? `NULL::${withheldAs}` : sql;
}

/**
 * Returns the stored columns, as `alias.column`, that the statement of one type of principal reads
 * for the facts.
 */
export function columnsRead(facts: FactCatalogue, principalType: PrincipalType): string[] {
  const read = Object.values(facts).filter(
    ({ withheldAs }) => withheldAs === undefined || READS_WITHHELD[principalType],
  );
  return [...new Set(read.flatMap(({ reads }) => reads))];
}

/**
 * Returns the select list of a subquery with this alias: the columns that the facts read from it,
 * and further columns.
 */
export function innerColumns(
  alias: string,
  facts: FactCatalogue,
  principalType: PrincipalType,
  further: readonly string[] = [],
): string {
  const read = columnsRead(facts, principalType).filter((name) => name.startsWith(`${alias}.`));
  return [...new Set([...read, ...further.map((name) => `${alias}.${name}`)])].join(', ');
}
