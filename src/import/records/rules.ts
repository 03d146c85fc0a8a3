import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { formatIsoTime, parseIsoTime } from '../../kernel/iso-time.js';

/** JSON Schema with one word of ours: the reason that a value which breaks it is given. */
type Schema = Readonly<Record<string, unknown>>;

/** What a key must hold. */
export interface Rule {
  readonly schema: Schema;
}

/** Of a key that may be absent or null. */
export interface NullableRule extends Rule {
  readonly isNullable: true;
}

/** A rule for each key of a record or of a part of one; an optional key has a nullable one. */
export type RulesOf<T> = {
  readonly [K in keyof Required<T>]: undefined extends T[K] ? NullableRule : Rule;
};

/** A key that breaks a rule, and why. */
export interface BrokenRule {
  /** Where in the record, such as `price.otdCents`. */
  readonly key: string;
  readonly reason: string;
}

const rule = (reason: string, schema: Schema): Rule => ({ schema: { ...schema, reason } });

/** The key may be absent or null. */
export function nullable({ schema }: Rule): NullableRule {
  const words = Array.isArray(schema['enum'])
    ? { enum: [...(schema['enum'] as unknown[]), null] }
    : {};
  return { schema: { ...schema, ...words, nullable: true }, isNullable: true };
}

/** Money and counts leave as JSON integers that every client reads exactly. */
const MAX_SAFE = Number.MAX_SAFE_INTEGER;

export const id = rule('must be a UUID', { type: 'string', format: 'uuid' });
export const flag = rule('must be true or false', { type: 'boolean' });
/** An ISO 8601 time with a zone. It is read as the service writes it: in UTC, floored to the millisecond. */
export const time = rule('must be an ISO 8601 time with a zone, such as 2026-05-04T12:30:00Z', {
  type: 'string',
  isoTime: true,
});

/** Text of at most `max` characters, and at least `min`. They are counted in code points, as PostgreSQL does. */
export const text = (max: number, min = 0): Rule =>
  rule(`must be text of ${min > 0 ? `${min} to ${max}` : `at most ${max}`} characters`, {
    type: 'string',
    minLength: min,
    maxLength: max,
  });

/** Text with at least one visible character. The database's `is_blank` has the same rule. */
export const visibleText = (max: number, min = 0): Rule => {
  const { schema } = text(max, min);
  const pattern = '[^\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\u2800]';
  return {
    schema: { ...schema, allOf: [{ type: 'string', pattern, reason: 'must not be blank' }] },
  };
};

export const textList = (maxItems: number, max: number): Rule => {
  const reason = `must be an array of at most ${maxItems} texts of 1 to ${max} characters`;
  const items = { type: 'string', minLength: 1, maxLength: max, reason };
  return rule(reason, { type: 'array', maxItems, items });
};

/** A word that an assistant may see: it has no room for a sentence. */
export const token = rule('must be 1 to 64 characters of A-Z a-z 0-9 _ . : -', {
  type: 'string',
  pattern: '^[A-Za-z0-9_.:-]{1,64}$',
});

/** The id of an assistant: OAuth's characters of a client id, without blanks. */
export const clientId = rule('must be 1 to 256 printable ASCII characters without blanks', {
  type: 'string',
  pattern: '^[\\x21-\\x7e]{1,256}$',
});

export const sha256 = rule('must be 64 hex digits', {
  type: 'string',
  pattern: '^[0-9A-Fa-f]{64}$',
});

export const zip = rule('must be a ZIP code such as 45202 or 45202-1234', {
  type: 'string',
  pattern: '^[0-9]{5}(-[0-9]{4})?$',
});

/** A whole number. In a file it is decimal digits: see `parse-json.ts` for `1e3` and `1.0`. */
export const integer = (minimum: number, maximum: number): Rule =>
  rule(`must be an integer from ${minimum} to ${maximum}, written as decimal digits`, {
    type: 'integer',
    minimum,
    maximum,
  });

/** An amount in US cents. */
export const cents = integer(0, MAX_SAFE);
export const count = integer(0, MAX_SAFE);

export const miles = rule('must be a number from 0 to 25000', {
  type: 'number',
  minimum: 0,
  maximum: 25_000,
});

export const oneOf = (words: readonly string[]): Rule =>
  rule(`must be one of ${words.join(', ')}`, { type: 'string', enum: words });

/** An object with rules of its own. */
export const part = <T>(rules: RulesOf<T>): Rule => ({ schema: objectSchema(rules) });

function objectSchema(rules: object): Schema {
  const entries = Object.entries(rules) as [string, Rule | NullableRule][];
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])),
    required: entries.filter(([, of]) => !('isNullable' in of)).map(([key]) => key),
    additionalProperties: false,
    reason: 'must be an object',
  };
}

const ajv = new Ajv({ allErrors: true, verbose: true, ownProperties: true, strictTypes: false });
ajv.addVocabulary(['reason']);
ajv.addFormat('uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i);
ajv.addKeyword({
  keyword: 'isoTime',
  type: 'string',
  modifying: true,
  validate: (
    _schema: unknown,
    value: string,
    _parent: unknown,
    at?: DataValidationCxt,
  ): boolean => {
    const ms = parseIsoTime(value);
    if (ms === null || !at) return false;
    Object.assign(at.parentData, { [at.parentDataProperty]: formatIsoTime(ms) });
    return true;
  },
});

/**
 * Makes the check of a record. It also brings the record's times to the form in which the service writes them.
 *
 * @returns what is wrong with a record, the first reason of each key; none when it is sound.
 */
export function checkOf(rules: object): (record: object) => readonly BrokenRule[] {
  const isValid: ValidateFunction = ajv.compile(objectSchema(rules));
  return (record) => (isValid(record) ? [] : brokenRules(isValid.errors ?? []));
}

function brokenRules(errors: readonly ErrorObject[]): BrokenRule[] {
  const broken = new Map<string, BrokenRule>();
  for (const error of errors) {
    const { key, reason } = brokenRule(error);
    if (!broken.has(key)) broken.set(key, { key, reason });
  }
  return [...broken.values()];
}

function brokenRule({ keyword, instancePath, params, parentSchema }: ErrorObject): BrokenRule {
  const path = instancePath.split('/').slice(1);
  const { additionalProperty = '', missingProperty = '' } = params as Record<string, string>;
  if (keyword === 'additionalProperties') {
    return keyed([...path, printable(additionalProperty)], 'is not a key of this record');
  }
  if (keyword === 'required') return keyed([...path, missingProperty], 'is missing');
  // An item of a list belongs to the list.
  const keys = path.filter((key) => !/^\d+$/.test(key));
  const { reason = 'is not valid' } = (parentSchema ?? {}) as { readonly reason?: string };
  return keyed(keys, reason);
}

function keyed(path: readonly string[], reason: string): BrokenRule {
  return { key: path.join('.'), reason };
}

/** A key from the file, short and without what a terminal would act on. */
export function printable(key: string): string {
  const plain = key.replace(/[^\x21-\x7e]/g, '?');
  return plain.length > 64 ? `${plain.slice(0, 64)}…` : plain;
}
