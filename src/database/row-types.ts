import { types, type CustomTypesConfig } from 'pg';
import { parse as parseArray } from 'postgres-array';

type Parse = (text: string) => unknown;

const { BOOL, BYTEA, FLOAT8, INT2, INT4, INT8, JSON: JSON_TEXT, JSONB, OID } = types.builtins;
const { TEXT, TIMESTAMPTZ, UUID, VARCHAR } = types.builtins;

/**
 * The types, besides times, that the statements and the entities of the service use. A value of any
 * other type is text. The driver's own table is not used, because it belongs to the process, and a
 * host application may change it.
 *
 * A `bigint` is a number, because no column exceeds the exact range of a number.
 */
const PARSERS = new Map<number, Parse>([
  [BOOL, (text) => text === 't'],
  [BYTEA, bufferFromHex],
  ...[INT2, INT4, INT8, FLOAT8, OID].map((type) => [type, Number] as const),
  ...[JSON_TEXT, JSONB].map(
    (type) => [type, (text: string) => JSON.parse(text) as unknown] as const,
  ),
]);

/** The type of an array of each type, in the numbers of PostgreSQL's catalog `pg_type`. */
const ARRAYS = new Map<number, number>([
  [BOOL, 1000],
  [INT2, 1005],
  [INT4, 1007],
  [INT8, 1016],
  [FLOAT8, 1022],
  [TEXT, 1009],
  [VARCHAR, 1015],
  [UUID, 2951],
]);
for (const [type, array] of ARRAYS) {
  const parse = PARSERS.get(type) ?? String;
  PARSERS.set(array, (text) => parseArray(text, parse));
}

/** Type parsers of the writers' connections. */
export const rowTypes = withTimes((text) => new Date(isoFromPg(text)));

/** Type parsers of the reads' connections: times are text in the service's format. */
export const textTimes = withTimes(isoFromPg);

function withTimes(parseTime: Parse): CustomTypesConfig {
  const parsers = new Map([...PARSERS, [TIMESTAMPTZ, parseTime]]);
  return { getTypeParser: (type: number) => parsers.get(type) ?? String };
}

/**
 * Converts PostgreSQL's `2026-11-20 10:00:00.1234+00` to `2026-11-20T10:00:00.123Z`. Slicing the
 * text takes a tenth of the time of parsing and printing a Date.
 */
function isoFromPg(text: string): string {
  if (text.length < 22 || !text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.charCodeAt(19) === 46 /* . */ ? text.slice(20, -3).slice(0, 3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** Converts PostgreSQL's `\x0102`, which `bytea_output` of each session produces. */
function bufferFromHex(text: string): Buffer {
  if (!text.startsWith(String.raw`\x`)) throw new Error('bytea_output is not hex');
  return Buffer.from(text.slice(2), 'hex');
}
