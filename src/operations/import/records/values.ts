import { z } from 'zod';
import { formatIsoTime, ISO_TIME, parseIsoTime } from '../../../kernel/iso-time.js';
import { CLIENT_ID } from '../../../kernel/principal.js';

/** How the value of a key is stored, where that does not follow from the key's name. */
export interface Storage {
  /** Name of the column; null if the value is not stored. */
  readonly column?: string | null;
  /** The stored value of an absent key, if not null. */
  readonly absent?: boolean;
  /** Of an object: what the names of its keys' columns begin with. */
  readonly prefix?: string;
  /** Converts a record's text to PostgreSQL's JSON of the column. */
  readonly toRow?: (text: string) => string;
  /** Converts PostgreSQL's JSON of the column to a record's text. */
  readonly fromRow?: (text: string) => string;
}

/** How the values of schemas are stored. It is not a part of the JSON Schema. */
export const storage = z.registry<Storage>();

/** The reason for a key that a record lacks. */
const MISSING = 'is missing';

/** The text shown for a value that a schema rejects, and for one that is absent. */
const because = (reason: string): { error: z.core.$ZodErrorMap } => ({
  error: ({ input }) => (input === undefined ? MISSING : reason),
});

/** A UUID. */
export const uuid = z.guid(because('must be a UUID'));
/** A boolean. */
export const flag = z.boolean(because('must be true or false'));

const A_TIME = because('must be an ISO 8601 time with a zone, such as 2026-05-04T12:30:00Z');
const inUtc = (text: string): string => formatIsoTime(parseIsoTime(text) ?? NaN);
/** An ISO 8601 time with a zone. It is stored in UTC, floored to the millisecond. */
export const time = z
  .string(A_TIME)
  .regex(ISO_TIME, A_TIME)
  .refine((text) => parseIsoTime(text) !== null, A_TIME)
  .register(storage, { toRow: inUtc, fromRow: inUtc });

/** A time in the feed. A client that reads everything begins in 1970. */
export const feedTime = time.refine(
  (text) => (parseIsoTime(text) ?? Infinity) > 0,
  'must be after 1970-01-01T00:00:00Z: leave out an unknown time',
);

const lengthReason = (max: number, min = 0): string =>
  `must be text of ${min > 0 ? `${min} to ${max}` : `at most ${max}`} characters`;

function textBecause(reason: string, max: number, min: number): z.ZodString {
  const length = because(reason);
  return (
    z
      .string(length)
      // Code points, as PostgreSQL and JSON Schema count; `max()` counts UTF-16 code units.
      .refine((value) => {
        const count = value.length > max ? [...value].length : value.length;
        return count >= min && count <= max;
      }, length)
      // Text that PostgreSQL cannot store.
      .regex(/^[^\0]*$/, 'must not contain the character NUL (\\u0000)')
      .regex(/^\P{Surrogate}*$/u, 'must not contain a lone surrogate (half of a character)')
      .meta({ minLength: min, maxLength: max })
  );
}

/** Text of `min` to `max` characters. */
export const text = (max: number, min = 0): z.ZodString =>
  textBecause(lengthReason(max, min), max, min);

/**
 * Text with at least one visible character. The database's domain `visible_text` has the same rule.
 */
export const visibleText = (max: number, min = 0): z.ZodString =>
  textBecause(`${lengthReason(max, min)}, not blank`, max, min).regex(
    /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u,
    'must not be blank',
  );

/**
 * A dealership's name: plain text, because labels contain it as it is. The constraints of the table
 * have the same rules.
 */
export const plainName = visibleText(300, 1)
  .regex(
    /^[^\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u,
    'must not contain control characters or marks that change the direction of text',
  )
  .regex(
    /^(?![^]*&([A-Za-z][A-Za-z0-9]*;|#))/,
    'must not contain an HTML entity: write the character itself',
  )
  .regex(/^(?![^]*<([/?]?[A-Za-z]|!))/, 'must not contain an HTML tag');

/** A list of at most `maxItems` texts of 1 to `max` characters. */
export function textList(maxItems: number, max: number): z.ZodArray<z.ZodString> {
  const reason = `must be an array of at most ${maxItems} texts of 1 to ${max} characters`;
  const list = because(reason);
  return z.array(textBecause(reason, max, 1), list).max(maxItems, list);
}

const pattern = (reason: string, regExp: RegExp): z.ZodString =>
  z.string(because(reason)).regex(regExp, because(reason));

/** A word that an assistant may see. It cannot contain blanks, so it cannot be a sentence. */
export const token = pattern(
  'must be 1 to 64 characters of A-Z a-z 0-9 _ . : -',
  /^[A-Za-z0-9_.:-]{1,64}$/,
);

/** A token that names one of several possibilities: a word, not a number. */
export const wordToken = pattern(
  'must be 1 to 64 characters of A-Z a-z 0-9 _ . : -, beginning with a letter',
  /^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/,
);

/** An assistant's id, as access tokens contain it. */
export const clientId = pattern(
  'must be 1 to 256 printable ASCII characters without blanks',
  CLIENT_ID,
);

/** A SHA-256 hash in hexadecimal, stored as bytes. */
export const sha256 = pattern(
  'must be a SHA-256 hash as 64 hex digits',
  /^[0-9A-Fa-f]{64}$/,
).register(storage, { toRow: (hex) => `\\x${hex}`, fromRow: (bytes) => bytes.slice(2) });

/** A ZIP code of the United States, with or without the four-digit extension. */
export const zip = pattern(
  'must be a ZIP code such as 45202 or 45202-1234',
  /^[0-9]{5}(-[0-9]{4})?$/,
);

/** One of the given words. */
export const oneOf = (words: readonly string[]): z.ZodEnum<Readonly<Record<string, string>>> =>
  z.enum(words, because(`must be one of ${words.join(', ')}`));

const integerBecause = (reason: string, minimum: number, maximum: number): z.ZodInt =>
  z.int(because(reason)).min(minimum, reason).max(maximum, reason);

/** A whole number. */
export const integer = (minimum: number, maximum: number): z.ZodInt =>
  integerBecause(`must be an integer from ${minimum} to ${maximum}`, minimum, maximum);

/** An amount of money. The API sends it as a JSON integer that every client reads exactly. */
export const cents = integerBecause(
  'must be an integer in US cents from 0 to 9007199254740991, such as 4112345 for $41,123.45',
  0,
  Number.MAX_SAFE_INTEGER,
);

const A_DISTANCE = 'must be a number from 0 to 25000';
/** A distance in miles; fractions are allowed. */
export const miles = z.number(because(A_DISTANCE)).min(0, A_DISTANCE).max(25_000, A_DISTANCE);

/** An object with exactly these keys. */
export const object = <Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> => z.strictObject(shape, because('must be an object'));

/** The schema of an object with any keys. */
export type ObjectSchema = z.ZodObject<z.core.$ZodShape>;

/** Returns the schema of a key's value when the value is neither absent nor null. */
export function withoutNull<T extends z.core.$ZodType | undefined>(schema: T): T | z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? withoutNull(schema.unwrap())
    : schema;
}
