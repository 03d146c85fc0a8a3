import fc from 'fast-check';
import { formatIsoTime, parseIsoTime } from './iso-time.js';

const iso = (text: string): string | null => {
  const instant = parseIsoTime(text);
  return instant === null ? null : formatIsoTime(instant);
};

describe('parseIsoTime', () => {
  it.each<[instant: string, ...texts: string[]]>([
    ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00Z', '2026-11-20t10:00:00z'],
    ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00Z', '20261120T100000Z', '20261120t1000z'],
    ['2026-11-20T10:00:00.000Z', '2026-11-20T12:00:00+02:00', '2026-11-20T12:00:00+0200'],
    ['2026-11-20T10:00:00.000Z', '2026-11-20T12:00:00+02', '2026-11-20T09:30:00-00:30'],
    ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00-00:00'],
    ['2026-11-20T10:00:00.100Z', '2026-11-20T10:00:00.1Z'],
    ['2026-11-20T10:00:00.250Z', '2026-11-20T10:00:00,25Z', '20261120T120000.25+0200'],
    ['2026-11-20T10:00:00.500Z', '20261120T080000,5-02'],
    // Fractions of a millisecond are rounded down, even for times before 1970.
    ['2026-11-20T10:00:00.123Z', '2026-11-20T10:00:00.1239999Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.9999Z'],
    ['2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00Z'],
    ['2026-11-19T10:01:00.000Z', '2026-11-20T10:00:00+23:59'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00Z', '0001-01-01T05:00:00+05:00'],
    ['0099-03-01T00:00:00.000Z', '0099-03-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T18:59:59.999-05:00'],
  ])('reads %s from %s', (instant, ...texts) => {
    expect(texts.map(iso)).toEqual(texts.map(() => instant));
  });

  it.each<[why: string, ...texts: string[]]>([
    ['a text that is not a time', '', 'yesterday', '1700000000', '1700000000000'],
    [
      'other formats',
      'Fri, 20 Nov 2026 10:00:00 GMT',
      '2026-W47-5T10:00:00Z',
      '2026-324T10:00:00Z',
    ],
    ['a basic ordinal date', '2026324T100000Z'],
    ['a date alone', '2026-11-20'],
    ['a time without a zone', '2026-11-20T10:00:00', '20261120T100000'],
    ['a space for T or +', '2026-11-20 10:00:00Z', '2026-11-20T10:00:00 02:00'],
    [
      'an instant before the year 0001',
      '0001-01-01T00:00:00+05:00',
      '0001-01-01T04:59:59.999+05:00',
    ],
    ['an instant after the year 9999', '9999-12-31T23:59:59-00:01'],
    ['other years', '+002026-11-20T10:00:00Z', '-0001-11-20T10:00:00Z', '0000-01-01T00:00:00Z'],
    [
      'a mix of the basic and the extended format',
      '20261120T10:00:00Z',
      '2026-11-20T100000Z',
      '20261120T100000+02:00',
    ],
    ['a month that does not exist', '2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z'],
    [
      'a day that does not exist',
      '2026-01-00T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '20260230T100000Z',
    ],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    [
      'an hour that does not exist',
      '2026-11-20T24:00:00Z',
      '20261120T240000Z',
      '2026-11-20T25:00:00Z',
    ],
    ['a minute or second that does not exist', '2026-11-20T10:60:00Z', '2026-11-20T10:00:60Z'],
    ['an offset that does not exist', '2026-11-20T10:00:00+25:00', '2026-11-20T10:00:00+24:00'],
    ['half an offset', '2026-11-20T10:00:00+2', '2026-11-20T10:00:00+01:60'],
    ['a fraction of a minute', '2026-11-20T10:00.5Z', '20261120T1000.5Z', '2026-11-20T10:00:00.Z'],
    ['hours alone', '20261120T10Z'],
    ['a zone name', '2026-11-20T10:00:00 UTC', '2026-11-20T10:00:00+01:00[Europe/Paris]'],
    ['text around it', ' 2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z ', '2026-11-20T10:00:00Z\n'],
    [
      'other signs',
      '٢٠٢٦-11-20T10:00:00Z',
      '2026-11-20T10:00:00\u221202:00',
      '2026-1-20T10:00:00Z',
    ],
  ])('rejects %s: %s', (_why, ...texts) => {
    expect(texts.map(parseIsoTime)).toEqual(texts.map(() => null));
  });

  it('reads back every time that it writes', () => {
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

  /** An independent parser: the grammar of RFC 3339, with the calendar checked by a Date. */
  function isTime(candidate: string): boolean {
    const text = candidate.replace(
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
