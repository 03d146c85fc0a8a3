import { types, type FieldDef } from 'pg';
import { readParser, type Parser } from '../row-types.js';
import { resultFormats } from './bind-message.js';

/** Makes a row's object of the texts of its columns. */
export type RowDecoder = (texts: readonly (string | null)[]) => unknown;

const { BOOL, FLOAT4, FLOAT8, INT2, INT4, INT8, TEXT, UUID, VARCHAR } = types.builtins;
/** The types of nearly all columns are read in place; all others by the parser of their type. */
const NUMBERS = new Set<number>([INT2, INT4, INT8, FLOAT4, FLOAT8]);
const TEXTS = new Set<number>([TEXT, VARCHAR, UUID]);
const BOOLEANS = new Set<number>([BOOL]);

/** How the rows of a statement are asked for, and read. */
export interface RowFormat {
  /** See `bindMessage`. */
  readonly resultFormats: Buffer;
  readonly decode: RowDecoder;
}

/** A service has few statements, and every connection describes the same. */
const compiled = new Map<string, RowFormat>();

/**
 * The format of rows with these columns. Their decoder is compiled to one object literal: the driver's own way,
 * column by column into an object that grows, takes three times as long and leaves more behind to be collected.
 * A column named `car.year` becomes the member `year` of the row's member `car`.
 *
 * @param columns as the server describes them.
 */
export function rowFormat(columns: readonly FieldDef[]): RowFormat {
  const key = columns.map(({ name, dataTypeID }) => `${dataTypeID} ${name}`).join('\n');
  let format = compiled.get(key);
  if (!format) {
    const oids = columns.map(({ dataTypeID }) => dataTypeID);
    format = { resultFormats: resultFormats(oids), decode: compile(columns) };
    compiled.set(key, format);
  }
  return format;
}

/** The shape of a decoded row: each member is the position of a column, or a nested object. */
type Members = Map<string, number | Members>;

function compile(columns: readonly FieldDef[]): RowDecoder {
  const parsers = columns.map(({ dataTypeID }) => readParser(dataTypeID));
  const row: Members = new Map();
  columns.forEach(({ name }, index) => {
    const path = name.split('.');
    const last = path.pop() ?? name;
    let object = row;
    for (const part of path) {
      const member = object.get(part) ?? new Map<string, number | Members>();
      if (typeof member === 'number') throw new Error(`two columns are named ${part}`);
      object.set(part, member);
      object = member;
    }
    object.set(last, index);
  });
  const literal = (members: Members): string =>
    `{ ${Array.from(members, ([name, member]) => {
      const value =
        typeof member === 'number'
          ? expression(columns[member]?.dataTypeID ?? 0, member)
          : literal(member);
      return `${JSON.stringify(name)}: ${value}`;
    }).join(', ')} }`;
  // The text contains column names of our own statements only, never a value.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const make = new Function('parsers', `'use strict';\nreturn (t) => (${literal(row)});`) as (
    parsers: readonly Parser[],
  ) => RowDecoder;
  return make(parsers);
}

function expression(oid: number, index: number): string {
  const text = `t[${index}]`;
  if (TEXTS.has(oid)) return text;
  const parsed = NUMBERS.has(oid)
    ? `+${text}`
    : BOOLEANS.has(oid)
      ? `${text} === 't'`
      : `parsers[${index}](${text})`;
  return `${text} === null ? null : ${parsed}`;
}
