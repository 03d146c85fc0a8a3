const EXTENDED =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)$/;
const BASIC =
  /^(\d{4})(\d{2})(\d{2})[Tt](\d{2})(\d{2})(?:(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(\d{2})?)$/;

const EARLIEST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads an ISO 8601 calendar date and time with a zone: `T` between them, seconds and their fraction
 * optional, the zone `Z`, `±hh:mm`, `±hhmm` or `±hh`, years 0001 to 9999. The basic form
 * (`20261120T100000Z`) is accepted too, with a zone `Z`, `±hhmm` or `±hh`. Week and ordinal dates,
 * expanded years, leap seconds, hour 24 and a missing zone are not accepted.
 *
 * @returns milliseconds since 1970 (UTC), finer digits floored. Null when the text is not of this form, or
 * when its offset moves the instant outside the years 0001 to 9999: nothing out of range is adjusted.
 */
export function parseIsoTime(text: string): number | null {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (!match) return null;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second = '0',
    fraction = '',
    sign,
    offsetHour,
    offsetMinute = '0',
  ] = match;
  if (Number(year) === 0 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return null;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute) > 59) return null;

  // Date.UTC reads the years 0 to 99 as 1900 to 1999; setUTCFullYear does not.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  date.setUTCHours(
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, '0')),
  );

  const offsetMs = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute)) * 60_000;
  const instant = date.getTime() - (sign === '-' ? -offsetMs : offsetMs);
  return instant < EARLIEST_MS || instant > LATEST_MS ? null : instant;
}

/** Writes an instant as the service does: UTC with `Z` and three decimals. */
export function formatIsoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
