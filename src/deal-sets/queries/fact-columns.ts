import type { PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';

/**
 * The PostgreSQL type of a null that an assistant's statement selects in place of a withheld fact.
 */
export type SqlType =
  'text' | 'integer' | 'bigint' | 'boolean' | 'double precision' | 'json' | 'uuid';

/**
 * One fact that a statement selects: the only declaration of its SQL, of who may read it, and of
 * its type. The name of the fact is its key in a catalogue.
 */
export interface FactColumn<Value> {
  /** The SQL expression, which uses the aliases of the statement. */
  readonly sql: string;
  /** The SQL expression in the statement of an assistant. */
  readonly assistantSql: string;
  /** Never set. It exists so that TypeScript can infer the type of the value. */
  readonly value?: Value;
}

/** The facts of a statement's rows, by name. */
export type FactColumns = Readonly<Record<string, FactColumn<unknown>>>;

/** The facts of a JSON value, by name. An object in it is a catalogue of its own. */
export interface FactCatalogue {
  readonly [name: string]: FactColumn<unknown> | FactCatalogue;
}

/**
 * The catalogue of these facts. The statement selects each under its name, so its rows are the
 * facts. A fact without a column, and a column without a fact, does not compile.
 */
export type CatalogueOf<Facts> = {
  readonly [Name in keyof Facts]-?:
    FactColumn<Facts[Name]> | ([Facts[Name]] extends [object] ? CatalogueOf<Facts[Name]> : never);
};

/**
 * Returns a fact that is a stored column, or is computed from stored columns.
 *
 * @param assistantSql the expression in the statement of an assistant, if it is another one.
 */
export function column<Value>(sql: string, assistantSql = sql): FactColumn<Value> {
  return { sql, assistantSql };
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
  return column(sql, `NULL::${type}`);
}

/** Returns the SQL of one fact, for the statement of one type of principal. */
export function sqlFor(
  { sql, assistantSql }: FactColumn<unknown>,
  principalType: PrincipalType,
): string {
  return READS_WITHHELD[principalType] ? sql : assistantSql;
}

/** Returns the select list of the facts, for the statement of one type of principal. */
export function selectList(facts: FactColumns, principalType: PrincipalType): string {
  return Object.entries(facts)
    .map(([name, fact]) => `${sqlFor(fact, principalType)} AS "${name}"`)
    .join(',\n  ');
}

/** Returns the facts of a sub-select with this alias, for the catalogue of the outer statement. */
export function outerColumns<Facts extends FactColumns>(alias: string, facts: Facts): Facts {
  const outer = Object.entries(facts).map(([name, { assistantSql }]) => [
    name,
    column(`${alias}."${name}"`, assistantSql),
  ]);
  return Object.fromEntries(outer) as Facts;
}

/** Returns the facts of a sub-select with this alias, as the select list of the outer statement. */
export function outerNames(alias: string, facts: FactColumns): string {
  return Object.keys(facts)
    .map((name) => `${alias}."${name}"`)
    .join(', ');
}

/** Returns the facts as one JSON object, in the form that they have. */
export function jsonObject(facts: FactCatalogue, principalType: PrincipalType): string {
  const members = Object.entries(facts).map(([name, fact]) => {
    const value = isColumn(fact) ? sqlFor(fact, principalType) : jsonObject(fact, principalType);
    return `'${name}', ${value}`;
  });
  return `json_build_object(${members.join(', ')})`;
}

/** Returns whether the entry of a catalogue is a fact, not a catalogue of its own. */
export function isColumn(fact: FactColumn<unknown> | FactCatalogue): fact is FactColumn<unknown> {
  return typeof fact['sql'] === 'string';
}
