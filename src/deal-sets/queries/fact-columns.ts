import type { PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';

/**
 * The PostgreSQL type of a null that an assistant's statement selects in place of a withheld fact.
 */
export type SqlType =
  'text' | 'text[]' | 'integer' | 'bigint' | 'boolean' | 'double precision' | 'json' | 'uuid';

/**
 * One fact that a statement selects: the only declaration of its SQL, of who may read it, and of
 * its type. The name of the fact is its key in a catalogue.
 */
export interface FactColumn<Value> {
  /** The SQL expression, which uses the aliases of the statement. */
  readonly sql: string;
  /** Set for a fact that is withheld from assistants: the type of the null in its place. */
  readonly withheldAs?: SqlType;
  /** Never set. It exists so that TypeScript can infer the type of the value. */
  readonly value?: Value;
}

/** The facts of a statement's rows, by name. */
export type FactCatalogue = Readonly<Record<string, FactColumn<unknown>>>;

/**
 * The catalogue of these facts. The statement selects each under its name, so its rows are the
 * facts. A fact without a column, and a column without a fact, does not compile.
 */
export type CatalogueOf<Facts> = {
  readonly [Name in keyof Facts]-?: FactColumn<Facts[Name]>;
};

/** A row of a statement that selects these facts. */
export type FactRow<Facts extends FactCatalogue> = {
  readonly [Name in keyof Facts]: Facts[Name] extends FactColumn<infer Value> ? Value : never;
};

/** Returns a fact that is a stored column, or is computed from stored columns. */
export function column<Value>(sql: string): FactColumn<Value> {
  return { sql };
}

/**
 * Returns the fact as one that is withheld from assistants: their statement does not read its
 * columns and selects a null instead.
 *
 * @param type the PostgreSQL type of that null.
 */
export function sessionOnly<Value>(
  { sql }: FactColumn<Value>,
  type: SqlType,
): FactColumn<Value | null> {
  return { sql, withheldAs: type };
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

/** Returns the facts of a sub-select with this alias, as the select list of the outer statement. */
export function factNames(alias: string, facts: FactCatalogue): string {
  return Object.keys(facts)
    .map((name) => `${alias}."${name}"`)
    .join(', ');
}
