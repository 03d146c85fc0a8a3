import { READS_WITHHELD } from '../../src/deal-sets/domain/disclosure.js';
import type { PrincipalType } from '../../src/kernel/principal.js';

/** SQL of a value; what an assistant may not read is a constant null of its type in her assistant's statements. */
type Sql = string | { readonly own: string; readonly type: string };

/** A column under its name: its SQL, where rows are of two kinds that of each, and the type of its values. */
export interface Column<Value> {
  readonly sql: readonly Sql[];
  readonly value?: Value;
}

type Columns = Readonly<Record<string, Column<unknown>>>;
export type RowOf<All extends Columns> = {
  [Name in keyof All]: All[Name] extends Column<infer Value> ? Value : never;
};

const column = <Value>(...sql: Sql[]): Column<Value> => ({ sql });
export const text = column<string | null>;
export const word = column<string>;
export const number = column<number | null>;
export const count = column<number>;
export const flag = column<boolean>;

export const own = (sql: string, type = 'text'): Sql => ({ own: sql, type });

function pairs(columns: Columns, viewer: PrincipalType, kind: number): [string, string][] {
  return Object.entries(columns).map(([name, { sql }]) => {
    const of = sql[kind] ?? 'NULL::bigint';
    if (typeof of === 'string') return [name, of];
    return [name, READS_WITHHELD[viewer] ? of.own : `NULL::${of.type}`];
  });
}

/** @param kind which SQL of each column. */
export const select = (columns: Columns, viewer: PrincipalType, kind = 0): string =>
  pairs(columns, viewer, kind)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(',\n  ');

export const jsonObject = (columns: Columns, viewer: PrincipalType): string =>
  `json_build_object(${pairs(columns, viewer, 0)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join()})`;

/** The buyer unlocked or chose the dealership of price check `p`. */
export const IS_SEEN = '(p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)';

/** One look-up by key for each row that needs it, in place of a join that could scan all dealerships. */
export const nameIf = (condition: string): string =>
  `CASE WHEN ${condition} THEN (SELECT d.name FROM dealership d WHERE d.id = p.dealership_id) END`;

/** The car that deal set `s` asks for; a single request has that of its listing. */
export const REQUESTED = {
  year: count('s.car_year', 'p.shown_year'),
  make: text('s.car_make', 'p.shown_make'),
  model: text('s.car_model', 'p.shown_model'),
  trim: text(own('s.car_trim'), 'p.shown_trim'),
  exteriorColor: text(own('s.car_exterior_color'), 'NULL::text'),
  interiorColor: text(own('s.car_interior_color'), 'NULL::text'),
  drivetrain: text(own('s.car_drivetrain'), 'NULL::text'),
  powertrain: text(own('s.car_powertrain'), 'NULL::text'),
  buyerZip: text(own('s.buyer_zip'), 'NULL::text'),
  dealersFound: number(own('s.dealers_found', 'integer'), 'NULL::integer'),
};

// Values as JSON text.
export const quoted = JSON.stringify;
export const json = (value: string | null = null): string =>
  value === null ? 'null' : quoted(value);

/** `2026-11-20 10:00:00.123+00` as `2026-11-20T10:00:00.123Z`. */
export function time(value: string | null): string {
  if (value === null) return 'null';
  const end = value.length - 3;
  const fraction = end > 20 ? value.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `"${value.slice(0, 10)}T${value.slice(11, 19)}.${fraction}Z"`;
}

export function requestedCar(car: RowOf<typeof REQUESTED>): string {
  return `{"year":${car.year},"make":${json(car.make)},"model":${json(car.model)},"trim":${json(car.trim)},"exteriorColor":${json(car.exteriorColor)},"interiorColor":${json(car.interiorColor)},"drivetrain":${json(car.drivetrain)},"powertrain":${json(car.powertrain)}}`;
}
