import { InvalidArgumentError } from 'commander';
import { parseIsoTime } from '../../kernel/iso-time.js';
import { CLIENT_ID } from '../../kernel/principal.js';
import { parseUuid } from '../../kernel/uuid.js';

/** Ten years: more than any development session needs. */
const MAX_TTL_SECONDS = 315_360_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ISO_TIME = 'ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z';

/** Parses an id and returns it in lower case, as the service writes ids. */
export function uuid(text: string): string {
  const id = parseUuid(text);
  if (id === undefined) throw new InvalidArgumentError('It must be a UUID.');
  return id;
}

/** Parses the id of an assistant. */
export function clientId(text: string): string {
  if (CLIENT_ID.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 256 printable ASCII characters without blanks.');
}

/** Parses a lifetime in seconds. */
export function ttlSeconds(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MAX_TTL_SECONDS) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_TTL_SECONDS}.`);
}

/** Parses a number of days. */
export function dayCount(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0 to 99999.');
}

/** Parses a time to milliseconds since 1970. */
export function isoTime(text: string): number {
  const epochMs = parseIsoTime(text);
  if (epochMs !== null) return epochMs;
  throw new InvalidArgumentError(`It must be an ${ISO_TIME}.`);
}

/**
 * Parses when something ends: a number of hours (`12h`) or days (`90d`) from now, or a time.
 *
 * @throws {InvalidArgumentError} for any other text, and for a time that has passed.
 */
export function endTime(text: string): Date {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const nowMs = Date.now();
  const endMs =
    count === undefined
      ? parseIsoTime(text)
      : nowMs + Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
  if (endMs === null) {
    throw new InvalidArgumentError(
      `It must be days or hours, such as 90d or 12h, or an ${ISO_TIME}.`,
    );
  }
  if (endMs <= nowMs) throw new InvalidArgumentError('It must be in the future.');
  return new Date(endMs);
}
