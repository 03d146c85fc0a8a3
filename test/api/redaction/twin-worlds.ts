import fc from 'fast-check';
import type { ImportRecord, RecordTypes } from '../../../src/operations/import/records/records.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  endingBeside,
  grant,
  priceCheck,
  question,
  reply,
  session,
} from '../../builders/index.js';

/**
 * Pairs of worlds, each of one buyer, that differ only in what an assistant may not see.
 *
 * The one thing that an assistant may learn about a name is whether a part of a listing had to be
 * hidden, so the two worlds of a pair never differ in that. Identifying texts of a dealership are
 * drawn from `SIGNATURE`, characters that no listing part and no number contains, or from
 * `PUBLIC_WORDS`, values that occur elsewhere in responses and in no listing part. A listing part
 * that contains a name contains, in each world, the name that the dealership has there.
 */

const SIGNATURE = [
  'Ж',
  '漢',
  'Ω',
  'ñ',
  'q́',
  'ﬁЖ',
  '🚗Ж',
  '"Ж"',
  '<b>Ж</b>',
  "Ж'; DROP",
  '{}Ж',
  '\\Ж',
  '\u202eЖ',
];

/** Values that occur in responses, but never in a part of a listing. */
const PUBLIC_WORDS = [
  'Outback',
  '2026 Outback',
  'Car',
  'null',
  'written',
  'Price in writing',
  'Under 10 miles',
  'A question about the price',
  '"label":"',
  'Silver 2024 Civic EX, about 12,300 miles, listed at $34,500',
  'deal_set',
  'in_progress',
];

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(value, { nil: null });
const cut = (text: string, max: number): string =>
  Array.from(text.replace(/[\0\p{Surrogate}]/gu, ''))
    .slice(0, max)
    .join('');

/** Arbitrary text, marked so that it occurs in no listing. */
const hostile = (max: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...SIGNATURE),
      fc.oneof(
        fc.constant(''),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.constantFrom(
          'x'.repeat(max),
          '&lt;script&gt;',
          '\r\nService-More: true',
          '漢'.repeat(max),
          '\u0001\t\n',
        ),
        fc.constantFrom(...PUBLIC_WORDS),
      ),
    )
    .map(([mark, text]) => cut(`${mark} ${text}`, max));

/** Makes text plain, as the database requires it of a dealership's name. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replaceAll(/[&<](?=[#/?!A-Za-z])/g, '$& ');

const identity = fc.record({
  name: fc.oneof(
    { weight: 3, arbitrary: hostile(300).map((text) => cut(plain(text), 300)) },
    { weight: 1, arbitrary: fc.constantFrom(...PUBLIC_WORDS) },
  ),
  phone: fc.oneof(
    fc.constantFrom(null, '', '+1 (510) 555-0100', '5105550199', 'Ж call'),
    fc.integer({ min: 2_000_000_000, max: 9_999_999_999 }).map(String),
  ),
  email: fc.oneof(fc.constantFrom(null, ''), hostile(320)),
  website: fc.oneof(
    fc.constantFrom(null, '', 'https://жук.example'),
    hostile(2048).map((text) => cut(`https://ж.example/${text}`, 2048)),
  ),
});

const words = maybe(fc.oneof(fc.constant(''), hostile(200)));
const miles = maybe(
  fc.oneof(
    fc.constantFrom(0, 9.999, 10, 24.99, 25, 49.9, 50, 99.99, 100, 100.01, 25_000),
    fc.double({ min: 0, max: 300, noNaN: true }),
  ),
);

/** The facts of a search that differ between the worlds of a pair. */
const searchSecrets = fc.record({
  trim: words,
  exteriorColor: words,
  interiorColor: words,
  drivetrain: words,
  powertrain: words,
  buyerZip: maybe(fc.constantFrom('94536', '00000', '10001-0001')),
  radiusMiles: maybe(fc.constantFrom(0, 100, 250, 12.5)),
  dealersFound: maybe(fc.nat(2_147_483_647)),
});

/** The facts of one row and its thread that differ between the worlds of a pair. */
const rowSecrets = fc.record({
  vin: maybe(fc.oneof(fc.constant(''), hostile(64))),
  url: maybe(fc.oneof(fc.constant(''), hostile(2048))),
  imageUrl: maybe(hostile(2048)),
  distanceMiles: miles,
  unwrittenOtdCents: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  unlockedAt: fc.constantFrom('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z'),
  text: fc.oneof(fc.constant(''), hostile(2_000)),
  textWhileHidden: maybe(hostile(2_000)),
  body: fc.oneof(fc.constant(''), hostile(5_000), hostile(200)),
  bodyWhileHidden: maybe(fc.oneof(hostile(5_000), hostile(200))),
  isPartnerKnown: fc.boolean(),
});

const cents = fc.oneof(
  fc.integer({ min: 2_000_000, max: 2_000_020 }),
  fc.integer({ min: 1, max: 90_000_000 }),
);

/** The facts of a row that both worlds share. */
const rowFacts = fc.record({
  dealer: fc.nat(3),
  listing: fc.record({
    year: maybe(fc.constantFrom(2023, 2024)),
    make: maybe(fc.constantFrom('Honda', 'Ford')),
    model: maybe(fc.constantFrom('Civic', 'F-150', 'CR-V')),
    trim: maybe(fc.constantFrom('EX', 'LX', 'Sport Touring', '', 'Grün <i>', '"EX"', '\u{1f697}')),
    exteriorColor: maybe(fc.constantFrom('Silver', 'Blue', 'Sonic Gray')),
    mileage: maybe(fc.nat(250_000)),
    listedAtCents: maybe(fc.integer({ min: 0, max: 90_000_000 })),
  }),
  /** The trim of the listing contains the name that the dealership has in each world. */
  namesDealership: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  answer: fc.constantFrom('same_car', 'same_car', 'different_car', null),
  price: fc.constantFrom('written', 'written', 'spoken', 'none'),
  otdCents: cents,
  sellingPriceCents: maybe(cents),
  ended: fc.constantFrom(null, null, null, 'sold', 'closed_with_price', 'no_price', 'timed_out'),
  standing: fc.constantFrom('hidden', 'hidden', 'unlocked', 'chosen'),
  isArchived: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  hasFinished: fc.boolean(),
  questions: fc.nat(2),
  drafts: fc.nat(1),
  replies: fc.nat(2),
  category: fc.constantFrom('price', 'trade_in', 'made.up'),
  isPartner: fc.boolean(),
});

const requestFacts = fc.record({
  isSet: fc.integer({ min: 0, max: 2 }).map((n) => n > 0),
  rows: fc.array(rowFacts, { minLength: 1, maxLength: 5 }),
  hasEnded: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  isTimeKnown: fc.integer({ min: 0, max: 7 }).map((n) => n > 0),
});

/** The facts that differ between the worlds of a pair. */
const secrets = fc.record({
  dealers: fc.array(identity, { minLength: 4, maxLength: 4 }),
  search: searchSecrets,
  rows: fc.array(rowSecrets, { minLength: 6, maxLength: 6 }),
});

/** A pair: the shared facts, and the secrets of each of its two worlds. */
export const worldPair = fc.record({
  changesGranted: fc.boolean(),
  requests: fc.oneof(
    { weight: 40, arbitrary: fc.array(requestFacts, { minLength: 1, maxLength: 4 }) },
    // More than a page, and more than a plain call shows.
    { weight: 1, arbitrary: fc.array(requestFacts, { minLength: 45, maxLength: 60 }) },
  ),
  secrets: fc.tuple(secrets, secrets),
});
type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type WorldPair = Value<typeof worldPair>;

const KIND = {
  buyer: 1,
  dealership: 2,
  grant: 3,
  hosted: 4,
  session: 5,
  request: 6,
  row: 7,
  question: 8,
  draft: 9,
  reply: 10,
} as const;

/** Ids are the same in both worlds; they derive from the pair's number, the kind and a count. */
export function idOf(pair: number, kind: keyof typeof KIND, count = 0): string {
  const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');
  // Scattered, so that the order of ids is arbitrary.
  const scattered = Math.imul(count * 97 + KIND[kind] + 1, 2_654_435_761) >>> 0;
  return `${hex(scattered, 8)}-${hex(KIND[kind], 4)}-4${hex(count % 4096, 3)}-8000-${hex(pair, 12)}`;
}

const at = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 5) + minutes * 60_000).toISOString();

/** The records of one world of a pair. */
export function recordsOf(
  pair: number,
  { changesGranted, requests }: WorldPair,
  world: Value<typeof secrets>,
  tokenSha256: string,
): ImportRecord[] {
  const idIn = (kind: keyof typeof KIND, count?: number): string => idOf(pair, kind, count);
  const buyerId = idIn('buyer');
  const approved = { buyerId, grantedAt: at(0) };
  // A dealership is a partner in both worlds or in neither, because assistants see the badge.
  const dealershipId = (index: number, isPartner: boolean): string =>
    idIn('dealership', index * 2 + Number(isPartner));
  const dealerships = world.dealers.flatMap((dealer, index) =>
    [true, false].map((isPartner) =>
      dealership({
        id: dealershipId(index, isPartner),
        ...dealer,
        verifiedPartner: isPartner || (world.rows[index]?.isPartnerKnown ? false : null),
      }),
    ),
  );

  function rowRecords(
    count: number,
    row: Value<typeof rowFacts>,
    place: number,
    shared: { dealSetId: string | null; latestActivityAt: string | null },
  ): ImportRecord[] {
    const own = world.rows[count % world.rows.length]!;
    const id = idIn('row', count);
    const prices: Record<typeof row.price, RecordTypes['priceCheck']['price']> = {
      none: null,
      spoken: { otdCents: own.unwrittenOtdCents, sellingPriceCents: own.unwrittenOtdCents },
      written: {
        otdCents: row.otdCents,
        sellingPriceCents: row.sellingPriceCents,
        writtenAt: at(600 + (count % 3)),
      },
    };
    const price = prices[row.price];
    // A part that consists only of a name is hidden in both worlds, for any two names.
    const name = world.dealers[row.dealer]?.name ?? '';
    const dealerTrim = Array.from(name).length <= 200 ? name : null;
    const times = <T>(most: number, make: (n: number) => T): T[] =>
      Array.from({ length: most }, (_, n) => make(n));
    return [
      priceCheck({
        ...shared,
        id,
        buyerId,
        dealershipId: dealershipId(row.dealer, row.isPartner),
        listing: {
          ...row.listing,
          // A name in the trim also withholds the model and the color.
          ...(row.namesDealership && { trim: dealerTrim, model: null, exteriorColor: null }),
          vin: own.vin,
          url: own.url,
          imageUrl: own.imageUrl,
        },
        distanceMiles: own.distanceMiles,
        requestedAt: at(place),
        answer: row.answer,
        price,
        finishedAt: row.hasFinished ? at(810) : null,
        ended: endingBeside(price, row.answer, row.ended),
        endedAt: row.ended === null ? null : at(820),
        unlockedAt: row.standing === 'hidden' ? null : own.unlockedAt,
        chosenAt: row.standing === 'chosen' ? own.unlockedAt : null,
        archivedAt: row.isArchived ? at(830) : null,
      }),
      ...times(row.questions, (n) =>
        question({
          id: idIn('question', count * 4 + n),
          priceCheckId: id,
          category: row.category,
          text: own.text,
          textWhileHidden: own.textWhileHidden,
          otdCents: n === 0 ? row.otdCents : null,
          askedAt: at(700 + n),
          answeredAt: n === 1 && row.hasFinished ? at(800) : null,
        }),
      ),
      ...times(row.drafts, () =>
        draft({
          id: idIn('draft', count),
          priceCheckId: id,
          body: own.body,
          bodyWhileHidden: own.bodyWhileHidden,
          createdAt: at(750),
        }),
      ),
      ...times(row.replies, (n) =>
        reply({ id: idIn('reply', count * 4 + n), priceCheckId: id, arrivedAt: at(650 + n) }),
      ),
    ];
  }

  let count = 0;
  return [
    buyer({ id: buyerId, changesGranted }),
    grant({ id: idIn('grant'), ...approved }),
    grant({ id: idIn('hosted'), ...approved, clientId: 'hosted-1', hosted: true }),
    session({ id: idIn('session'), buyerId, tokenSha256 }),
    ...dealerships,
    ...requests.flatMap(({ isSet, isTimeKnown, hasEnded, rows }, place) => {
      const id = idIn('request', place);
      const latestActivityAt = isTimeKnown ? at(1_000 + Math.floor(place / 2) * 7) : null;
      const { buyerZip, radiusMiles, dealersFound, ...configuration } = world.search;
      const set = dealSet({
        id,
        buyerId,
        car: { year: 2026, make: 'Subaru', model: 'Outback', ...configuration },
        buyerZip,
        radiusMiles,
        dealersFound,
        createdAt: at(place),
        endedAt: hasEnded ? at(900) : null,
        latestActivityAt,
      });
      const shared = isSet
        ? { dealSetId: id, latestActivityAt: null }
        : { dealSetId: null, latestActivityAt };
      const members = isSet ? rows : rows.slice(0, 1);
      return [
        ...(isSet ? [set] : []),
        ...members.flatMap((row) => rowRecords(count++, row, place, shared)),
      ];
    }),
  ];
}
