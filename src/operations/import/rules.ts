import { Ajv, type ErrorObject } from 'ajv';
import { formatIsoTime, parseIsoTime } from '../../kernel/iso-time.js';
import { CLIENT_ID } from '../../kernel/principal.js';
import { UUID_PATTERN } from '../../kernel/uuid.js';
import type { Problem } from './problems.js';

type Schema = Readonly<Record<string, unknown>>;

/** The rule for a key's value, and how the value is stored. `T` is the type of the value. */
export interface Rule<T> {
  /**
   * JSON Schema with one custom keyword, `reason`: the text shown for a value that breaks the rule.
   */
  readonly schema: Schema;
  /** Name of the column, if it differs from the key; null if the value is not stored. */
  readonly column?: string | null;
  /** The value of an absent key, if not null. */
  readonly absent?: boolean;
  /** Converts between a record's text and PostgreSQL's JSON of the column, if they differ. */
  readonly conversion?: { toRow(text: string): string; fromRow(text: string): string };
  /** Set for an object: the rules of its keys, and the prefix of their columns' names. */
  readonly nested?: { readonly rules: Rules; readonly prefix: string };
  /** Exists only so that the compiler can infer `T`; no rule sets it. */
  readonly value?: T;
}

/** The rule of a key that may be null or absent. */
export type NullableRule<T> = Rule<T> & { readonly isNullable: true };

/** The rules of an object's keys. */
export type Rules = Readonly<Record<string, Rule<unknown> | NullableRule<unknown>>>;

/** The rules of the keys of a type: only those of optional keys allow null and absence. */
export type RulesOf<T> = {
  readonly [K in keyof T]-?: undefined extends T[K]
    ? NullableRule<NonNullable<T[K]>>
    : Rule<T[K]> & { readonly isNullable?: never };
};

/** A broken rule; `key` is the path within the record, such as `price.otdCents`. */
export type BrokenRule = Required<Omit<Problem, 'line'>>;

const rule = <T>(reason: string, schema: Schema): Rule<T> => ({ schema: { ...schema, reason } });

/**
 * Allows null and absence besides the values of a rule.
 *
 * @param storing how the value is stored, if that differs from the rule.
 */
export function nullable<T>(rule: Rule<T>, storing: Partial<Rule<T>> = {}): NullableRule<T> {
  return { ...rule, ...storing, schema: { ...rule.schema, nullable: true }, isNullable: true };
}

const pattern = (reason: string, regexp: string): Rule<string> =>
  rule(reason, { type: 'string', pattern: regexp });

/** A UUID. */
export const id = rule<string>('must be a UUID', { type: 'string', format: 'uuid' });
/** A boolean. */
export const flag = rule<boolean>('must be true or false', { type: 'boolean' });
const normalTime = (text: string): string => formatIsoTime(parseIsoTime(text) ?? NaN);
/** An ISO 8601 time with a zone. It is stored in UTC, floored to the millisecond. */
export const time: Rule<string> = {
  ...rule('must be an ISO 8601 time with a zone, such as 2026-05-04T12:30:00Z', {
    type: 'string',
    format: 'iso-time',
  }),
  conversion: { toRow: normalTime, fromRow: normalTime },
};

/** Schemas that reject text that PostgreSQL cannot store. They have no `type`, so null is valid. */
const STORABLE: readonly Schema[] = [
  { pattern: '^[^\\0]*$', reason: 'must not contain the character NUL (\\u0000)' },
  {
    pattern: '^\\P{Surrogate}*$',
    reason: 'must not contain a lone surrogate (half of a character)',
  },
];

const VISIBLE: Schema = {
  pattern: '[^\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\u2800]',
  reason: 'must not be blank',
};

/** Text of `min` to `max` characters, counted in code points as PostgreSQL does. */
export const text = (max: number, min = 0, further: readonly Schema[] = []): Rule<string> =>
  rule(`must be text of ${min > 0 ? `${min} to ${max}` : `at most ${max}`} characters`, {
    type: 'string',
    minLength: min,
    maxLength: max,
    allOf: [...STORABLE, ...further],
  });

/**
 * Text with at least one visible character. The database's domain `visible_text` has the same rule.
 */
export const visibleText = (max: number, min = 0): Rule<string> => text(max, min, [VISIBLE]);

/** A list of at most `maxItems` texts of 1 to `max` characters. */
export function textList(maxItems: number, max: number): Rule<string[]> {
  const reason = `must be an array of at most ${maxItems} texts of 1 to ${max} characters`;
  const items = { ...text(max, 1).schema, reason };
  return rule(reason, { type: 'array', maxItems, items });
}

/** A word that an assistant may see. It cannot contain blanks, so it cannot be a sentence. */
export const token = pattern(
  'must be 1 to 64 characters of A-Z a-z 0-9 _ . : -',
  '^[A-Za-z0-9_.:-]{1,64}$',
);

/** A token that names one of several possibilities: a word, not a number. */
export const wordToken = pattern(
  'must be 1 to 64 characters of A-Z a-z 0-9 _ . : -, beginning with a letter',
  '^[A-Za-z][A-Za-z0-9_.:-]{0,63}$',
);

/** An assistant's id, as access tokens contain it. */
export const clientId = pattern(
  'must be 1 to 256 printable ASCII characters without blanks',
  CLIENT_ID.source,
);

/** A SHA-256 hash in hexadecimal, stored as bytes. */
export const sha256: Rule<string> = {
  ...pattern('must be 64 hex digits', '^[0-9A-Fa-f]{64}$'),
  conversion: { toRow: (hex) => `\\x${hex}`, fromRow: (bytes) => bytes.slice(2) },
};

/** A ZIP code of the United States, with or without the four-digit extension. */
export const zip = pattern(
  'must be a ZIP code such as 45202 or 45202-1234',
  '^[0-9]{5}(-[0-9]{4})?$',
);

/** One of the given words. */
export const oneOf = (words: readonly string[]): Rule<string> =>
  pattern(`must be one of ${words.join(', ')}`, `^(${words.join('|')})$`);

/**
 * A whole number. In a file it consists of decimal digits: see `parse-json.ts` for `1e3` and `1.0`.
 */
export const integer = (minimum: number, maximum: number): Rule<number> =>
  rule(`must be an integer from ${minimum} to ${maximum}, written as decimal digits`, {
    type: 'integer',
    minimum,
    maximum,
  });

/** Money or a count. The API sends it as a JSON integer that every client reads exactly. */
export const safeInteger = integer(0, Number.MAX_SAFE_INTEGER);

/** A distance in miles; fractions are allowed. */
export const miles = rule<number>('must be a number from 0 to 25000', {
  type: 'number',
  minimum: 0,
  maximum: 25_000,
});

/** A nested object, stored in columns that begin with the prefix. */
export const nestedObject = <T extends object>(prefix: string, rules: RulesOf<T>): Rule<T> => ({
  schema: objectSchema(rules),
  nested: { rules, prefix },
});

function objectSchema(rules: Rules): Schema {
  const entries = Object.entries(rules);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])),
    required: entries.filter(([, rule]) => !('isNullable' in rule)).map(([key]) => key),
    additionalProperties: false,
    reason: 'must be an object',
  };
}

const ajv = new Ajv({ allErrors: true, verbose: true, ownProperties: true, strictTypes: false });
ajv.addVocabulary(['reason']);
ajv.addFormat('uuid', UUID_PATTERN);
ajv.addFormat('iso-time', (text: string) => parseIsoTime(text) !== null);

/**
 * Compiles the rules of each kind.
 *
 * @returns a function that checks a record and returns the first broken rule of each key.
 */
export function checksOf<Kind extends string>(
  kinds: Readonly<Record<Kind, Rules>>,
): (kind: Kind, record: object) => readonly BrokenRule[] {
  for (const [kind, rules] of Object.entries<Rules>(kinds)) {
    ajv.addSchema(objectSchema(rules), kind, undefined, false);
  }
  return (kind, record) => {
    if (ajv.validate(kind, record)) return [];
    // Reversed, because the map keeps the last entry of a key, but the first one must be reported.
    const broken = (ajv.errors ?? []).map(brokenRule).reverse();
    return [...new Map(broken.map((rule) => [rule.key, rule])).values()].reverse();
  };
}

function brokenRule({ keyword, instancePath, params, parentSchema }: ErrorObject): BrokenRule {
  const path = instancePath.split('/').slice(1);
  const { additionalProperty = '', missingProperty = '' } = params as Record<string, string>;
  if (keyword === 'additionalProperties') {
    const key = [...path, printable(additionalProperty)].join('.');
    return { key, reason: 'is not a key of this record' };
  }
  if (keyword === 'required') {
    return { key: [...path, missingProperty].join('.'), reason: 'is missing' };
  }
  const { reason } = parentSchema as { readonly reason: string };
  // An item of a list is reported under the list's key.
  return { key: path.filter((name) => !/^\d+$/.test(name)).join('.'), reason };
}

/** Shortens a key from the file and removes characters that a terminal would interpret. */
function printable(key: string): string {
  const plain = key.replace(/[^\x21-\x7e]/g, '?');
  return plain.length > 64 ? `${plain.slice(0, 64)}…` : plain;
}
