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

/** Every `bigint` column is checked to stay within what a JavaScript number holds exactly. */
const WITH_DATES = new Map<number, Parser>([[OID.int8, Number]]);

/** Building a Date only to print it again would be a good part of a read's cost. */
const WITH_TEXT_TIMES = new Map<number, Parser>([
  [OID.int8, Number],
  [OID.timestamp, asText],
  [OID.timestamptz, asText],
  [OID.date, asText],
  [OID.timestamptzArray, types.getTypeParser(OID.textArray as never)],
]);

/**
 * How values arrive from PostgreSQL, for the connections that are given it and no other: setting parsers
 * globally would change every other user of the driver in the process.
 *
 * @param times as Date objects, or as PostgreSQL writes them.
 */
export function rowTypes(times: 'dates' | 'text'): CustomTypesConfig {
  const own = times === 'dates' ? WITH_DATES : WITH_TEXT_TIMES;
  const driverParser = types.getTypeParser.bind(types) as (oid: number, format?: string) => Parser;
  return {
    getTypeParser: (oid: number, format?: string) =>
      (format === 'binary' ? undefined : own.get(oid)) ?? driverParser(oid, format),
  };
}
