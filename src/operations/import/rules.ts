import { formatIsoTime, parseIsoTime } from '../../kernel/iso-time.js';
import { CLIENT_ID } from '../../kernel/principal.js';

type Schema = Readonly<Record<string, unknown>>;

/** The rule for a key's value, and how the value is stored. `T` is the type of the value. */
export interface Rule<T> {
  /**
   * JSON Schema with one custom keyword, `reason`: the text shown for a value that breaks the rule.
   */
  readonly schema: Readonly<Record<string, unknown>>;
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

/** The rule of a key that must be present. */
export type RequiredRule<T> = Rule<T> & { readonly isOptional: false };
/** The rule of a key that may be absent or null. */
export type OptionalRule<T> = Rule<T> & { readonly isOptional: true };

/** The rules of an object's keys. */
export type Rules = Readonly<Record<string, RequiredRule<unknown> | OptionalRule<unknown>>>;

/** The type of an object that obeys the rules. */
export type ObjectOf<R extends Rules> = {
  -readonly [K in keyof R as R[K] extends RequiredRule<unknown> ? K : never]: NonNullable<
    R[K]['value']
  >;
} & {
  -readonly [K in keyof R as R[K] extends OptionalRule<unknown> ? K : never]?: NonNullable<
    R[K]['value']
  > | null;
};

const rule = <T>(reason: string, schema: Schema): Rule<T> => ({ schema: { ...schema, reason } });

const described = <T>(
  { schema, ...rest }: Rule<T>,
  description: string | undefined,
  storing: Partial<Rule<T>>,
): Rule<T> => ({
  ...rest,
  ...storing,
  schema: description === undefined ? schema : { ...schema, description },
});

/**
 * Declares a key that must be present.
 *
 * @param description what the value means, if its name does not say it.
 * @param storing how the value is stored, if that differs from the rule.
 */
export function required<T>(
  rule: Rule<T>,
  description?: string,
  storing: Partial<Rule<T>> = {},
): RequiredRule<T> {
  return { ...described(rule, description, storing), isOptional: false };
}

/** Declares a key that may be absent or null. The parameters are those of `required`. */
export function optional<T>(
  rule: Rule<T>,
  description?: string,
  storing: Partial<Rule<T>> = {},
): OptionalRule<T> {
  const { schema, ...rest } = described(rule, description, storing);
  const { type, enum: words } = schema as { type: string; enum?: readonly string[] };
  const orNull = { type: [type, 'null'], ...(words && { enum: [...words, null] }) };
  return { ...rest, schema: { ...schema, ...orNull }, isOptional: true };
}

const pattern = (reason: string, regexp: string): Rule<string> =>
  rule(reason, { type: 'string', pattern: regexp });

/** A UUID. */
export const uuid = rule<string>('must be a UUID', { type: 'string', format: 'uuid' });
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

const lengthReason = (max: number, min = 0): string =>
  `must be text of ${min > 0 ? `${min} to ${max}` : `at most ${max}`} characters`;

/** Text of `min` to `max` characters, counted in code points as PostgreSQL does. */
export const text = (max: number, min = 0): Rule<string> =>
  rule(lengthReason(max, min), {
    type: 'string',
    minLength: min,
    maxLength: max,
    allOf: STORABLE,
  });

/**
 * Text with at least one visible character. The database's domain `visible_text` has the same rule.
 */
export const visibleText = (max: number, min = 0): Rule<string> =>
  rule(`${lengthReason(max, min)}, not blank`, {
    ...text(max, min).schema,
    allOf: [...STORABLE, VISIBLE],
  });

/**
 * A dealership's name: plain text, because labels contain it as it is. The constraints of the table
 * have the same rules.
 */
export const plainName: Rule<string> = rule(`${lengthReason(300, 1)}, not blank`, {
  ...text(300, 1).schema,
  allOf: [
    ...STORABLE,
    VISIBLE,
    {
      pattern: '^[^\\p{Cc}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*$',
      reason: 'must not contain control characters or marks that change the direction of text',
    },
    {
      pattern: '^(?![^]*&([A-Za-z][A-Za-z0-9]*;|#))',
      reason: 'must not contain an HTML entity: write the character itself',
    },
    { pattern: '^(?![^]*<([/?]?[A-Za-z]|!))', reason: 'must not contain an HTML tag' },
  ],
});

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
  ...pattern('must be a SHA-256 hash as 64 hex digits', '^[0-9A-Fa-f]{64}$'),
  conversion: { toRow: (hex) => `\\x${hex}`, fromRow: (bytes) => bytes.slice(2) },
};

/** A ZIP code of the United States, with or without the four-digit extension. */
export const zip = pattern(
  'must be a ZIP code such as 45202 or 45202-1234',
  '^[0-9]{5}(-[0-9]{4})?$',
);

/** One of the given words. */
export const oneOf = (words: readonly string[]): Rule<string> =>
  rule(`must be one of ${words.join(', ')}`, { type: 'string', enum: words });

/** A whole number. */
export const integer = (minimum: number, maximum: number): Rule<number> =>
  rule(`must be an integer from ${minimum} to ${maximum}`, { type: 'integer', minimum, maximum });

/** An amount of money. The API sends it as a JSON integer that every client reads exactly. */
export const cents = rule<number>(
  'must be an integer in US cents from 0 to 9007199254740991, such as 4112345 for $41,123.45',
  { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
);

/** A distance in miles; fractions are allowed. */
export const miles = rule<number>('must be a number from 0 to 25000', {
  type: 'number',
  minimum: 0,
  maximum: 25_000,
});

/** A nested object, stored in columns that begin with the prefix. */
export const nestedObject = <R extends Rules>(prefix: string, rules: R): Rule<ObjectOf<R>> => ({
  schema: objectSchema(rules),
  nested: { rules, prefix },
});

/** Returns the JSON Schema of an object whose keys have these rules. */
export function objectSchema(rules: Rules): Schema {
  const entries = Object.entries(rules);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([key]) => key),
    additionalProperties: false,
    reason: 'must be an object',
  };
}
