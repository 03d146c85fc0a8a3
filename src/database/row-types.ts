import { types, type CustomTypesConfig } from 'pg';

type Parser = (text: string) => unknown;

const OID = {
  int8: 20,
  timestamp: 1114,
  timestamptz: 1184,
  date: 1082,
  timestamptzArray: 1185,
  textArray: 1009,
} as const;

const asText: Parser = (text) => text;

/**
 * PostgreSQL's text of a `timestamptz` in a session whose time zone is UTC, as the service writes times:
 * `2026-11-20 10:00:00.1234+00` becomes `2026-11-20T10:00:00.123Z`. Cutting text costs a tenth of what
 * parsing a Date and printing it does.
 */
export function isoFromPg(text: string): string {
  if (text.length < 22 || !text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.charCodeAt(19) === 46 /* . */ ? text.slice(20, -3).slice(0, 3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** Every `bigint` column is checked to stay within what a JavaScript number holds exactly. */
const WITH_DATES = new Map<number, Parser>([[OID.int8, Number]]);

/** Building a Date only to print it again would be a good part of a read's cost. */
const WITH_TEXT_TIMES = new Map<number, Parser>([
  [OID.int8, Number],
  [OID.timestamp, asText],
  [OID.timestamptz, isoFromPg],
  [OID.date, asText],
  [OID.timestamptzArray, types.getTypeParser(OID.textArray as never)],
]);

const driverParser = types.getTypeParser.bind(types) as (oid: number, format?: string) => Parser;

/** How values arrive from PostgreSQL on the writers' connections, times as Date objects. */
export function rowTypes(): CustomTypesConfig {
  return typesOf(WITH_DATES);
}

/** How values arrive in a read, times as the service writes them. */
export function textTimes(): CustomTypesConfig {
  return typesOf(WITH_TEXT_TIMES);
}

/** Of the connections that are given it: parsers set globally would change every other user of the driver. */
function typesOf(parsers: ReadonlyMap<number, Parser>): CustomTypesConfig {
  return {
    getTypeParser: (oid: number, format?: string) =>
      (format === 'binary' ? undefined : parsers.get(oid)) ?? driverParser(oid, format),
  };
}
