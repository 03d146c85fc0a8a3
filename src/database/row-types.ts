import { TypeOverrides, types } from 'pg';

/**
 * Converts PostgreSQL's `2026-11-20 10:00:00.1234+00` to `2026-11-20T10:00:00.123Z`. Slicing the
 * text takes a tenth of the time of parsing and printing a Date.
 */
function isoFromPg(text: string): string {
  if (text.length < 22 || !text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.charCodeAt(19) === 46 /* . */ ? text.slice(20, -3).slice(0, 3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/**
 * Type parsers of the writers' connections. They parse `bigint` values as numbers, because no
 * column exceeds the exact range of a number.
 */
export const rowTypes = new TypeOverrides();
rowTypes.setTypeParser(types.builtins.INT8, Number);

/**
 * Type parsers of the reads' connections: those of the writers, with times as text in the service's
 * format.
 */
export const textTimes = new TypeOverrides(rowTypes);
textTimes.setTypeParser(types.builtins.TIMESTAMPTZ, isoFromPg);
textTimes.setTypeParser(types.builtins.TIMESTAMP, String);
textTimes.setTypeParser(types.builtins.DATE, String);
