import { READS_WITHHELD } from '../../src/deal-sets/domain/disclosure.js';
import { ENGLISH } from '../../src/deal-sets/domain/english-texts.js';
import { fallbackLabel } from '../../src/deal-sets/domain/labels.js';
import type { CarAnswer, Ending, RowState } from '../../src/kernel/price-check-values.js';
import type { PrincipalType } from '../../src/kernel/principal.js';

/**
 * The SQL of a value. In statements for an assistant, a value that assistants may not read is a
 * constant null of the same type.
 */
type Sql = string | { readonly own: string; readonly type: string };

/**
 * A column: its SQL and the type of its values. If a statement returns rows of two kinds, the
 * column has one SQL expression for each kind.
 */
export interface Column<Value> {
  readonly sql: readonly Sql[];
  readonly value?: Value;
}

type Columns = Readonly<Record<string, Column<unknown>>>;
/** A row with these columns. */
export type RowOf<All extends Columns> = {
  [Name in keyof All]: All[Name] extends Column<infer Value> ? Value : never;
};

const columnOf = <Value>(...sql: Sql[]): Column<Value> => ({ sql });
/** Functions that create a column of each value type. */
export const column = {
  text: columnOf<string | null>,
  word: columnOf<string>,
  number: columnOf<number | null>,
  count: columnOf<number>,
  flag: columnOf<boolean>,
  answer: columnOf<CarAnswer | null>,
  ending: columnOf<Ending | null>,
  state: columnOf<RowState>,
};

/**
 * Marks SQL that only statements for the buyer's session contain. Statements for an assistant
 * contain a null of the given type instead.
 */
export const own = (sql: string, type = 'text'): Sql => ({ own: sql, type });

function pairs(columns: Columns, viewer: PrincipalType, kind: number): [string, string][] {
  return Object.entries(columns).map(([name, { sql }]) => {
    const expression = sql[kind] ?? 'NULL';
    if (typeof expression === 'string') return [name, expression];
    return [name, READS_WITHHELD[viewer] ? expression.own : `NULL::${expression.type}`];
  });
}

/**
 * Returns the select list of the columns.
 *
 * @param kind the index into each column's `sql`, for statements that return two kinds of rows.
 */
export const select = (columns: Columns, viewer: PrincipalType, kind = 0): string =>
  pairs(columns, viewer, kind)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(',\n  ');

/** Returns the SQL of a JSON object with the columns. */
export const jsonObject = (columns: Columns, viewer: PrincipalType): string =>
  `json_build_object(${pairs(columns, viewer, 0)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join()})`;

/**
 * Returns the SQL of the dealership's name, or null unless the condition is true. It looks up the
 * dealership by key for each row that needs it; a join could scan all dealerships.
 */
export const nameIf = (condition: string): string =>
  `CASE WHEN ${condition} THEN (SELECT d.name FROM deal_sets.dealership d WHERE d.id = p.dealership_id) END`;

/** The requested car of deal set `s`, or for a single request the car of its listing. */
export const REQUESTED = {
  carYear: column.count('s.car_year', 'p.shown_year'),
  carMake: column.text('s.car_make', 'p.shown_make'),
  carModel: column.text('s.car_model', 'p.shown_model'),
  carTrim: column.text(own('s.car_trim'), 'p.shown_trim'),
  carColor: column.text(own('s.car_exterior_color')),
  interiorColor: column.text(own('s.car_interior_color')),
  drivetrain: column.text(own('s.car_drivetrain')),
  powertrain: column.text(own('s.car_powertrain')),
  buyerZip: column.text(own('s.buyer_zip')),
  dealersFound: column.number(own('s.dealers_found', 'integer')),
};

type Requested = RowOf<typeof REQUESTED>;

/** The columns of price check `p` that its label may contain. */
export const LISTED = {
  year: column.number('p.shown_year'),
  model: column.text('p.shown_model'),
  trim: column.text('p.shown_trim'),
  exteriorColor: column.text('p.shown_exterior_color'),
  mileage: column.number('p.shown_mileage'),
  listedAtCents: column.number('p.shown_listed_at_cents'),
  answer: column.answer('p.answer'),
  dealershipName: column.text(own(nameIf('p.is_seen'))),
};

/** Formats a value as JSON text. */
export const quoted = JSON.stringify;
/** Formats a text or null as JSON text. */
export const json = (value: string | null = null): string =>
  value === null ? 'null' : quoted(value);

/** Returns the label of a row whose listing has no usable facts, built from the requested car. */
export const requestedLabel = (
  row: Pick<RowOf<typeof LISTED>, 'answer'>,
  { carYear: year, carModel: model }: Requested,
): string => fallbackLabel(ENGLISH, row, { year, model });

/** Formats the requested car as JSON text. */
export function requestedCar(car: Requested): string {
  return `{"year":${car.carYear},"make":${json(car.carMake)},"model":${json(car.carModel)},"trim":${json(car.carTrim)},"exteriorColor":${json(car.carColor)},"interiorColor":${json(car.interiorColor)},"drivetrain":${json(car.drivetrain)},"powertrain":${json(car.powertrain)}}`;
}

/** Returns the columns of a table that an SQL text uses, separated by commas. */
export function storedColumns(columns: string, table: string): string {
  const named = columns.matchAll(new RegExp(`\\b${table}\\.([a-z_]+)`, 'g'));
  return [...new Set(Array.from(named, ([column]) => column))].join(', ');
}
