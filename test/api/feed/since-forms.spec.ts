import fc from 'fast-check';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { FeedWorld } from './feed-world.js';

const PATH = '/api/v1/deal-sets';

describe('the forms of since', () => {
  let world: FeedWorld;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 1 });
    await world.history();
  });
  afterAll(() => world.stop());

  const call = (query: string) =>
    world.service.get<{ data?: unknown[]; error?: { code: string } }>(
      `${PATH}?${query}`,
      world.anna.session,
    );

  it.each([
    ['a time in UTC', '2026-01-31T23:00:00Z', 3],
    ['an offset with a colon', '2026-02-01T01:00:00+02:00', 3],
    ['an offset without a colon', '2026-02-01T01:00:00+0200', 3],
    ['a fraction after a dot', '2026-01-31T23:59:59.9Z', 3],
    ['nanoseconds', '2026-01-31T23:59:59.999999999Z', 3],
    ['its equal in another zone', '2026-02-01T05:45:00+05:45', 0],
    ['the very instant', '2026-02-01T00:00:00Z', 0],
    ['the first year', '0001-01-01T00:00:00Z', 3],
    ['the last year', '9999-12-31T23:59:59Z', 0],
    ['the first instant by an offset', '0001-01-01T05:00:00+05:00', 3],
    ['the last instant by an offset', '9999-12-31T18:59:59.999-05:00', 0],
    ['the basic form', '20260131T230000Z', 3],
  ])('takes %s', async (_what, since, entries) => {
    const answer = await call(`since=${encodeURIComponent(since)}`);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toHaveLength(entries);
    expect(answer.headers).toMatchObject({
      'service-more': 'false',
      'service-as-of': expect.any(String) as string,
    });
  });

  it('takes its own Service-As-Of back as it is', async () => {
    const { asOf } = await world.poll('1970-01-01T00:00:00Z');
    expect((await call(`since=${asOf}`)).status).toBe(200);
  });

  const REFUSED: readonly (readonly [string, string])[] = [
    ['a word', 'since=yesterday'],
    ['a date alone', 'since=2026-02-01'],
    ['no zone', 'since=2026-02-01T00:00:00'],
    ['epoch seconds', 'since=1769904000'],
    ['nothing', 'since='],
    ['no value', 'since'],
    ['a blank', 'since=%20'],
    ['a repetition', 'since=2026-02-01T00:00:00Z&since=2026-02-01T00:00:00Z'],
    ['a repetition with a bad twin', 'since=2026-02-01T00:00:00Z&since='],
    ['30 February', 'since=2026-02-30T00:00:00Z'],
    ['hour 24', 'since=2026-02-01T24:00:00Z'],
    ['hour 25', 'since=2026-02-01T25:00:00Z'],
    ['second 60', 'since=2016-12-31T23:59:60Z'],
    ['an offset of 25 hours', 'since=2026-02-01T00:00:00%2B25:00'],
    ['an unescaped plus', 'since=2026-02-01T00:00:00+02:00'],
    ['a space in place of T', 'since=2026-02-01%2000:00:00Z'],
    ['a NUL after', 'since=2026-02-01T00:00:00Z%00'],
    ['RFC 1123', 'since=Sun,%2001%20Feb%202026%2000:00:00%20GMT'],
    ['a week date', 'since=2026-W05-7T00:00:00Z'],
    ['an offset that leads before the first year', 'since=0001-01-01T00:00:00%2B05:00'],
    ['an offset that leads after the last year', 'since=9999-12-31T23:59:59-00:01'],
    ['digits of another script', 'since=%D9%A2%D9%A0%D9%A2%D9%A6-02-01T00:00:00Z'],
    ['a quote', "since=2026-02-01T00:00:00Z'"],
    ['a broken escape', 'since=2026-02-01T00:00:00Z%'],
    ['broken UTF-8', 'since=%FF%FE'],
  ];

  it.each(REFUSED)('refuses %s', async (_what, query) => {
    const answer = await call(query);
    expect(answer.status).toBe(400);
    // The same text for every wrong value: it names the parameter and its form, and repeats no input.
    expect(answer.body.error).toEqual({
      code: 'invalid_request',
      message:
        '`since` must be one ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z; write + as %2B.',
    });
    expect(answer.headers).not.toHaveProperty('service-as-of');
    expect(answer.headers).not.toHaveProperty('service-more');
  });

  describe('any value', () => {
    const digits = (max: number) => fc.integer({ min: 0, max }).map(String);
    const nearly = fc
      .tuple(
        fc.constantFrom('2026', '0000', '9999', '10000', '26'),
        digits(14),
        digits(33),
        fc.constantFrom('T', 't', ' ', '', '_'),
        digits(26),
        digits(62),
        fc.constantFrom('', ':00', ':59.9999999', ':60', ':0,5', ':1.'),
        fc.constantFrom('Z', 'z', '', '+00:00', '-2359', '+24', '+1', 'GMT', '+05:60', '−01:00'),
      )
      .map(([year, month, day, t, hour, minute, rest, zone]) => {
        const two = (text: string): string => text.padStart(2, '0');
        return `${year}-${two(month)}-${two(day)}${t}${two(hour)}:${two(minute)}${rest}${zone}`;
      });
    const nearlyBasic = nearly.map(
      (text) => text.slice(0, 10).replaceAll('-', '') + text.slice(10).replaceAll(':', ''),
    );
    const anything = fc.oneof(
      { weight: 3, arbitrary: nearly },
      { weight: 2, arbitrary: nearlyBasic },
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.date({ noInvalidDate: true }).map(String),
      fc.double().map(String),
    );
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

    it('is answered 200 when it is a time with a zone, else 400, and never otherwise', async () => {
      await fc.assert(
        fc.asyncProperty(anything, async (since) => {
          const answer = await call(`since=${encodeURIComponent(since.toWellFormed())}`);
          expect(answer.status).toBe(isTime(since.toWellFormed()) ? 200 : 400);
        }),
        { numRuns: 400, seed: PROPERTY_SEED },
      );
    });

    it('is answered 200 or 400 when it is not even escaped', async () => {
      const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(printable, async (text) => {
          const answer = await call(`since=${text.replaceAll(/[#\s]/g, '')}`);
          expect([200, 400]).toContain(answer.status);
        }),
        { numRuns: 200, seed: PROPERTY_SEED },
      );
    });
  });
});
