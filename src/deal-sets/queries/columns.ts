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
    .map((column) => `${selected(principalType, column)} AS "${column[0]}"`)
    .join(',\n  ');
}

/** The same facts as one value, for what is in few of many rows: nulls of many columns cost time in each. */
export function jsonObject(principalType: PrincipalType, columns: readonly Column[]): string {
  const values = new Map(columns.map((column) => [column[0], selected(principalType, column)]));
  const objectOf = (plan: Plan): string => {
    const members = plan.map(([member, source]) => {
      const value = typeof source === 'string' ? (values.get(source) ?? '') : objectOf(source);
      return `'${member}', ${value}`;
    });
    return `json_build_object(${members.join(', ')})`;
  };
  return objectOf(planOf([...values.keys()]));
}

function selected(principalType: PrincipalType, [, expression, sessionOnlyType]: Column): string {
  const own = typeof expression === 'string' ? expression : expression[principalType];
  return sessionOnlyType === undefined ? own : forSession(principalType, own, sessionOnlyType);
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

/** Of facts: each member with the column it comes from, or with the plan of the facts it holds. */
type Plan = readonly (readonly [member: string, source: string | Plan])[];

/** Makes facts of a statement's rows: a column named `car.year` becomes the member `year` of their `car`. */
export function factsReader(columns: readonly Column[]): (row: Row) => unknown {
  const plan = planOf(columns.map(([fact]) => fact));
  return (row) => factsOf(row, plan);
}

function planOf(columns: readonly string[], prefix = ''): Plan {
  const members = new Map<string, string | Plan>();
  for (const column of columns.filter((name) => name.startsWith(prefix))) {
    const [member = '', ...deeper] = column.slice(prefix.length).split('.');
    members.set(member, deeper.length === 0 ? column : planOf(columns, `${prefix}${member}.`));
  }
  return [...members];
}

function factsOf(row: Row, plan: Plan): unknown {
  const facts: Record<string, unknown> = {};
  for (const [member, source] of plan) {
    facts[member] = typeof source === 'string' ? row[source] : factsOf(row, source);
  }
  return facts;
}
