import { applyDecorators } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import { IsOptional, ValidateBy, ValidateNested, type ValidationArguments } from 'class-validator';
import { formatIsoTime, parseIsoTime } from '../../kernel/iso-time.js';
import { isUuid } from '../../kernel/uuid.js';

const TOKEN = /^[A-Za-z0-9_.:-]{1,64}$/;
const CLIENT_ID = /^[\x21-\x7e]{1,256}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/i;
const ZIP = /^[0-9]{5}(-[0-9]{4})?$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]*$/u;

/** Money and counts leave as JSON integers that every client reads exactly. */
export const MAX_SAFE_CENTS = Number.MAX_SAFE_INTEGER;

type Reason = string | ((value: unknown) => string);

function rule(name: string, reason: Reason, holds: (value: unknown) => boolean): PropertyDecorator {
  const defaultMessage = (given?: ValidationArguments): string =>
    typeof reason === 'string' ? reason : reason(given?.value);
  return ValidateBy({ name, validator: { validate: holds, defaultMessage } });
}

/** Why PostgreSQL cannot store a text; undefined when it can. */
function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character NUL (\\u0000)';
  if (LONE_SURROGATE.test(text)) return 'must not contain a lone surrogate (half of a character)';
  return undefined;
}

/** Characters as people and PostgreSQL count them: code points. */
function isTextWithin(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string' || unstorable(value) !== undefined) return false;
  if (value.length < min) return false;
  return value.length <= max || Array.from(value).length <= max;
}

function firstUnstorable(list: unknown): string | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const item of list as readonly unknown[]) {
    const reason = typeof item === 'string' ? unstorable(item) : undefined;
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The key may be absent or null. */
export const IsNullable = (): PropertyDecorator => IsOptional();

export const IsId = (): PropertyDecorator =>
  rule('isId', 'must be a UUID', (value) => isUuid(value));

export const IsFlag = (): PropertyDecorator =>
  rule('isFlag', 'must be true or false', (value) => typeof value === 'boolean');

/** Text of at most `max` characters, and at least `min`. */
export const IsText = (max: number, min = 0): PropertyDecorator =>
  rule(
    'isText',
    (value) =>
      (typeof value === 'string' ? unstorable(value) : undefined) ??
      `must be text of ${min > 0 ? `${min} to ${max}` : `at most ${max}`} characters`,
    (value) => isTextWithin(value, min, max),
  );

/** Text with at least one visible character. The database's `is_blank` has the same rule. */
export const IsNotBlank = (): PropertyDecorator =>
  rule(
    'isNotBlank',
    'must not be blank',
    (value) => typeof value !== 'string' || !BLANK.test(value),
  );

export const IsTextList = (maxItems: number, max: number): PropertyDecorator =>
  rule(
    'isTextList',
    (value) =>
      firstUnstorable(value) ??
      `must be an array of at most ${maxItems} texts of 1 to ${max} characters`,
    (value) =>
      Array.isArray(value) &&
      value.length <= maxItems &&
      value.every((item) => isTextWithin(item, 1, max)),
  );

/** A word that an assistant may see: it has no room for a sentence. */
export const IsToken = (): PropertyDecorator =>
  rule(
    'isToken',
    'must be 1 to 64 characters of A-Z a-z 0-9 _ . : -',
    (value) => typeof value === 'string' && TOKEN.test(value),
  );

/** The id of an assistant: OAuth's characters of a client id, without blanks. */
export const IsClientId = (): PropertyDecorator =>
  rule(
    'isClientId',
    'must be 1 to 256 printable ASCII characters without blanks',
    (value) => typeof value === 'string' && CLIENT_ID.test(value),
  );

export const IsSha256 = (): PropertyDecorator =>
  rule(
    'isSha256',
    'must be 64 hex digits',
    (value) => typeof value === 'string' && SHA256_HEX.test(value),
  );

export const IsZip = (): PropertyDecorator =>
  rule(
    'isZip',
    'must be a ZIP code such as 45202 or 45202-1234',
    (value) => typeof value === 'string' && ZIP.test(value),
  );

/** A whole number. In a file it is decimal digits: see `parse-json.ts` for `1e3` and `1.0`. */
export const IsWithin = (min: number, max: number): PropertyDecorator =>
  rule(
    'isWithin',
    `must be an integer from ${min} to ${max}, written as decimal digits`,
    (value) =>
      Number.isInteger(value) &&
      (value as number) >= min &&
      (value as number) <= max &&
      !Object.is(value, -0),
  );

/** An amount in US cents. */
export const IsCents = (): PropertyDecorator => IsWithin(0, MAX_SAFE_CENTS);

const fractionKeys = new Set<string>();

/** The keys whose numbers may have a fraction or an exponent, in any record. */
export const FRACTION_KEYS: ReadonlySet<string> = fractionKeys;

export const IsMiles = (): PropertyDecorator =>
  applyDecorators(
    (_target: object, key: string | symbol) => {
      fractionKeys.add(String(key));
    },
    rule(
      'isMiles',
      'must be a number from 0 to 25000',
      (value) => typeof value === 'number' && value >= 0 && value <= 25_000,
    ),
  );

/** An ISO 8601 time with a zone. It is read as the service writes it: in UTC, floored to the millisecond. */
export const IsTime = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => floored(value)),
    rule(
      'isTime',
      'must be an ISO 8601 time with a zone, such as 2026-05-04T12:30:00Z',
      (value) => typeof value === 'string' && parseIsoTime(value) !== null,
    ),
  );

function floored(value: unknown): unknown {
  const ms = typeof value === 'string' ? parseIsoTime(value) : null;
  return ms === null ? value : formatIsoTime(ms);
}

export const IsOneOf = (words: readonly string[]): PropertyDecorator =>
  rule(
    'isOneOf',
    `must be one of ${words.join(', ')}`,
    (value) => typeof value === 'string' && words.includes(value),
  );

/** An object with declarations of its own. */
export const IsPart = (part: () => new () => object): PropertyDecorator =>
  applyDecorators(
    Type(part),
    ValidateNested(),
    rule(
      'isPart',
      'must be an object',
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    ),
  );
