import fc from 'fast-check';
import { formatIsoTime, parseIsoTime } from './iso-time.js';

const iso = (text: string): string | null => {
  const instant = parseIsoTime(text);
  return instant === null ? null : formatIsoTime(instant);
};

describe('parseIsoTime', () => {
  it.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20t10:00:00z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00.1Z', '2026-11-20T10:00:00.100Z'],
    ['2026-11-20T10:00:00,25Z', '2026-11-20T10:00:00.250Z'],
    ['2026-11-20T12:00:00+02:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T12:00:00+0200', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T12:00:00+02', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T09:30:00-00:30', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00-00:00', '2026-11-20T10:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-11-20T10:00:00+23:59', '2026-11-19T10:01:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00.000Z'],
    ['0001-01-01T05:00:00+05:00', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T18:59:59.999-05:00', '9999-12-31T23:59:59.999Z'],
    ['20261120T100000Z', '2026-11-20T10:00:00.000Z'],
    ['20261120t1000z', '2026-11-20T10:00:00.000Z'],
    ['20261120T120000.25+0200', '2026-11-20T10:00:00.250Z'],
    ['20261120T080000,5-02', '2026-11-20T10:00:00.500Z'],
  ])('reads %s', (text, expected) => expect(iso(text)).toBe(expected));

  it.each([
    [
      'floors digits beyond milliseconds',
      '2026-11-20T10:00:00.1239999Z',
      '2026-11-20T10:00:00.123Z',
    ],
    ['floors before 1970 too', '1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
  ])('%s', (_what, text, expected) => expect(iso(text)).toBe(expected));

  it.each([
    ['empty', ''],
    ['a word', 'yesterday'],
    ['a date alone', '2026-11-20'],
    ['no zone', '2026-11-20T10:00:00'],
    ['a space for T', '2026-11-20 10:00:00Z'],
    ['a space for +', '2026-11-20T10:00:00 02:00'],
    ['epoch seconds', '1700000000'],
    ['epoch milliseconds', '1700000000000'],
    ['RFC 1123', 'Fri, 20 Nov 2026 10:00:00 GMT'],
    ['a week date', '2026-W47-5T10:00:00Z'],
    ['an ordinal date', '2026-324T10:00:00Z'],
    ['an instant before the year 0001', '0001-01-01T00:00:00+05:00'],
    ['an instant a millisecond before the year 0001', '0001-01-01T04:59:59.999+05:00'],
    ['an instant after the year 9999', '9999-12-31T23:59:59-00:01'],
    ['a basic date with an extended time', '20261120T10:00:00Z'],
    ['an extended date with a basic time', '2026-11-20T100000Z'],
    ['a basic time with an extended zone', '20261120T100000+02:00'],
    ['a fraction of a basic minute', '20261120T1000.5Z'],
    ['a basic date with 30 February', '20260230T100000Z'],
    ['a basic time with hour 24', '20261120T240000Z'],
    ['a basic time of hours alone', '20261120T10Z'],
    ['a basic ordinal date', '2026324T100000Z'],
    ['a basic time without a zone', '20261120T100000'],
    ['an expanded year', '+002026-11-20T10:00:00Z'],
    ['a negative year', '-0001-11-20T10:00:00Z'],
    ['year 0000', '0000-01-01T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['month 0', '2026-00-01T00:00:00Z'],
    ['day 0', '2026-01-00T00:00:00Z'],
    ['30 February', '2026-02-30T00:00:00Z'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['hour 24', '2026-11-20T24:00:00Z'],
    ['hour 25', '2026-11-20T25:00:00Z'],
    ['minute 60', '2026-11-20T10:60:00Z'],
    ['second 60', '2026-11-20T10:00:60Z'],
    ['an offset of 25 hours', '2026-11-20T10:00:00+25:00'],
    ['an offset of 24 hours', '2026-11-20T10:00:00+24:00'],
    ['an offset of 60 minutes', '2026-11-20T10:00:00+01:60'],
    ['a half-written offset', '2026-11-20T10:00:00+2'],
    ['a fraction of a minute', '2026-11-20T10:00.5Z'],
    ['an empty fraction', '2026-11-20T10:00:00.Z'],
    ['a zone name', '2026-11-20T10:00:00 UTC'],
    ['a bracketed zone', '2026-11-20T10:00:00+01:00[Europe/Paris]'],
    ['text before', ' 2026-11-20T10:00:00Z'],
    ['text after', '2026-11-20T10:00:00Z '],
    ['a line break after', '2026-11-20T10:00:00Z\n'],
    ['digits of another script', '٢٠٢٦-11-20T10:00:00Z'],
    ['a typographic minus', '2026-11-20T10:00:00\u221202:00'],
    ['a one-digit month', '2026-1-20T10:00:00Z'],
  ])('refuses %s', (_what, text) => expect(parseIsoTime(text)).toBeNull());

  it('reads back every time it writes', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date(-62135596800000),
          max: new Date(253402300799999),
          noInvalidDate: true,
        }),
        (date) => {
          expect(parseIsoTime(formatIsoTime(date.getTime()))).toBe(date.getTime());
        },
      ),
    );
  });

  /** The grammar once more, as RFC 3339 people would write it, with the calendar checked by a Date. */
  function isTime(given: string): boolean {
    const text = given.replace(
      /^(\d{4})(\d\d)(\d\d)([Tt]\d\d)(\d\d)(\d\d(?:[.,]\d+)?)?([Zz]|[+-]\d\d(?:\d\d)?)$/,
      (_all, year, month, day, hour, minute, rest: string | undefined, zone) =>
        `${year}-${month}-${day}${hour}:${minute}${rest === undefined ? '' : `:${rest}`}${zone}`,
    );
    const [, date, time, offset] =
      /^(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?)(?:[Zz]|([+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?))$/.exec(
        text,
      ) ?? [];
    if (!date || !time || date.startsWith('0000')) return false;
    const day = new Date(`${date}T00:00:00Z`);
    const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
    const zone = offset?.replace(
      /^(.\d\d):?(\d\d)?$/,
      (_all, hours, minutes = '00') => `${hours}:${minutes}`,
    );
    const instant = new Date(`${date}T${time.replace(',', '.')}${zone ?? 'Z'}`);
    return isDay && instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999;
  }

  it('reads a text exactly when it is a time with a zone', () => {
    const two = (max: number) =>
      fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'));
    const extended = fc
      .tuple(
        fc.constantFrom('2026', '0000', '9999', '10000', '26'),
        two(14),
        two(33),
        fc.constantFrom('T', 't', ' ', '', '_'),
        two(26),
        two(62),
        fc.constantFrom('', ':00', ':59.9999999', ':60', ':0,5', ':1.'),
        fc.constantFrom('Z', 'z', '', '+00:00', '-2359', '+24', '+1', 'GMT', '+05:60', '−01:00'),
      )
      .map(
        ([year, month, day, t, hour, minute, rest, zone]) =>
          `${year}-${month}-${day}${t}${hour}:${minute}${rest}${zone}`,
      );
    const basic = extended.map(
      (text) => text.slice(0, 10).replaceAll('-', '') + text.slice(10).replaceAll(':', ''),
    );
    const anything = fc.oneof(
      { weight: 3, arbitrary: extended },
      { weight: 2, arbitrary: basic },
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.date({ noInvalidDate: true }).map(String),
      fc.double().map(String),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(parseIsoTime(text) !== null).toBe(isTime(text));
      }),
      { numRuns: 5_000 },
    );
  });
});
