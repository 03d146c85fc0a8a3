import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsOptional, ValidateBy, ValidateNested } from 'class-validator';
import { parseIsoTime } from '../../kernel/iso-time.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TOKEN = /^[A-Za-z0-9_.:-]{1,64}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/i;
const ZIP = /^[0-9]{5}(-[0-9]{4})?$/;
// PostgreSQL stores no NUL, and a lone surrogate is no character.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Money and counts leave as JSON integers that every client reads exactly. */
export const MAX_SAFE_CENTS = Number.MAX_SAFE_INTEGER;

function rule(name: string, reason: string, holds: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({ name, validator: { validate: holds, defaultMessage: () => reason } });
}

/** Characters as people and PostgreSQL count them: code points. */
function isTextWithin(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string' || UNSTORABLE.test(value)) return false;
  if (value.length < min) return false;
  return value.length <= max || Array.from(value).length <= max;
}

/** The key may be absent or null. */
export const IsNullable = (): PropertyDecorator => IsOptional();

export const IsId = (): PropertyDecorator =>
  rule('isId', 'must be a UUID', (value) => typeof value === 'string' && UUID.test(value));

export const IsFlag = (): PropertyDecorator =>
  rule('isFlag', 'must be true or false', (value) => typeof value === 'boolean');

/** Text of at most `max` characters, and at least `min`. */
export const IsText = (max: number, min = 0): PropertyDecorator =>
  rule(
    'isText',
    `must be text of ${min > 0 ? `${min} to ${max}` : `at most ${max}`} characters`,
    (value) => isTextWithin(value, min, max),
  );

export const IsTextList = (maxItems: number, max: number): PropertyDecorator =>
  rule(
    'isTextList',
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

export const IsWithin = (min: number, max: number): PropertyDecorator =>
  rule(
    'isWithin',
    `must be an integer from ${min} to ${max}`,
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  );

/** An amount in US cents. */
export const IsCents = (): PropertyDecorator => IsWithin(0, MAX_SAFE_CENTS);

export const IsMiles = (): PropertyDecorator =>
  rule(
    'isMiles',
    'must be a number from 0 to 25000',
    (value) => typeof value === 'number' && value >= 0 && value <= 25_000,
  );

/** An ISO 8601 time with a zone. */
export const IsTime = (): PropertyDecorator =>
  rule(
    'isTime',
    'must be an ISO 8601 time with a zone, such as 2026-05-04T12:30:00Z',
    (value) => typeof value === 'string' && parseIsoTime(value) !== null,
  );

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
    ValidateNested({ context: { part } }),
    rule(
      'isPart',
      'must be an object',
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    ),
  );
