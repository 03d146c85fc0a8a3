const EXTENDED =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;
const BASIC =
  /^(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3])([0-5]\d)(?:([0-5]\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])([01]\d|2[0-3])([0-5]\d)?)$/;

/**
 * The forms that `parseIsoTime` accepts, for validators of other languages. A pattern of readable
 * length cannot express that a month has fewer than 31 days.
 */
export const ISO_TIME = new RegExp(`${EXTENDED.source}|${BASIC.source}`);

const EARLIEST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an ISO 8601 calendar date and time with a zone. The seconds and their fraction are
 * optional. The extended form (`2026-11-20T10:00:00Z`) allows the zones `Z`, `±hh:mm`, `±hhmm` and
 * `±hh`; the basic form (`20261120T100000Z`) allows `Z`, `±hhmm` and `±hh`. The years are 0001 to
 * 9999. Week and ordinal dates, expanded years, leap seconds and hour 24 are not accepted.
 *
 * @returns milliseconds since 1970 (UTC), without finer digits; null for any other form, for a date
 *   or time that does not exist, or if the time in UTC is not within these years.
 */
export function parseIsoTime(text: string): number | null {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second = '00', fraction = '', ...offset] = match;
  const millis = fraction.slice(0, 3).padEnd(3, '0');
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`;
  const date = new Date(local);
  // `Date` turns February 30 into a time on another day, which is not what was written.
  if (year === '0000' || date.toJSON() !== local) return null;

  const [sign, hours = '0', minutes = '0'] = offset;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const instant = date.getTime() - (sign === '-' ? -offsetMs : offsetMs);
  return instant < EARLIEST_MS || instant > LATEST_MS ? null : instant;
}

/** Formats milliseconds since 1970 in UTC with `Z` and three decimals. */
export function formatIsoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
