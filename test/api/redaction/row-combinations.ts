import fc from 'fast-check';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  priceCheck,
  question,
  reply,
  signIn,
} from '../../builders/index.js';

export const MODELS = ['Civic', 'CR-V', 'F-150'];
export const TRIMS = ['EX', 'Sport Touring'];
export const COLORS = ['Silver', 'Sonic Gray'];
const DEALERSHIPS = [
  'Qorvath Motors',
  'Zyx Automall',
  'Vexley Subaru',
  'Wyvern Kia of Quillon',
  'Jaxxon',
].map((name, index) =>
  dealership({
    name,
    phone: `(415) 555-01${index}7`,
    email: `desk${index}@zyxauto.example`,
    website: `https://dealer${index}.zyxauto.example`,
    verifiedPartner: [true, false, undefined][index % 3],
  }),
);

const seen = '2026-01-05T00:00:00Z';
/** Whether the buyer has seen, or has chosen, the dealership of a row. */
const VISIBILITIES = {
  hidden: {},
  unlocked: { unlockedAt: seen },
  chosen: { unlockedAt: seen, chosenAt: seen },
  chosenAtOnce: { chosenAt: seen },
} as const;
const OUTCOMES = {
  written: { answer: 'same_car' },
  waiting: { price: undefined },
  spoken: { answer: 'same_car', price: { otdCents: 77 } },
  differentCar: { answer: 'different_car' },
  sold: { answer: 'same_car', ended: 'sold', endedAt: seen },
  closedWithPrice: { answer: 'same_car', ended: 'closed_with_price', endedAt: seen },
  noPrice: { price: undefined, ended: 'no_price', endedAt: seen },
  timedOut: { price: undefined, ended: 'timed_out' },
} as const;

/**
 * Returns rows with every combination of a dealership's visibility and a row's outcome, both
 * archived and not archived, with known and unknown values.
 */
function rowCombinations(ids: { buyerId: string; dealSetId: string | null }) {
  const random = fc.sample(fc.nat(1_000_000), { numRuns: 400, seed: 5 });
  let place = 0;
  const pick = <T>(list: readonly T[]): T => list[random[place % random.length]! % list.length]!;
  return Object.values(VISIBILITIES).flatMap((visibility) =>
    Object.values(OUTCOMES).flatMap((outcome) =>
      [false, true].map((isArchived) => {
        place += 1;
        const listing = {
          year: pick([2023, 2024]),
          make: 'Honda',
          model: pick(MODELS),
          trim: pick([...TRIMS, undefined]),
          exteriorColor: pick([...COLORS, undefined]),
          mileage: pick([0, 49, 12_349, undefined]),
          listedAtCents: pick([3_099_900, undefined]),
          vin: `VINQ${place}XYZ`,
          url: `https://zyxauto.example/${place}`,
          imageUrl: `https://zyxauto.example/${place}.jpg`,
        };
        return priceCheck({
          ...ids,
          dealershipId: DEALERSHIPS[place % DEALERSHIPS.length]!.id,
          listing: place % 3 > 0 ? listing : {},
          distanceMiles: pick([0, 9.999, 10, 24.875, 25, 49.875, 50, 100, 100.125, 512.625, null]),
          price: {
            otdCents: 3_100_000 - place * 1_000,
            sellingPriceCents: pick([2_800_000, undefined]),
            writtenAt: '2026-01-03T00:00:00Z',
          },
          finishedAt: pick([seen, undefined]),
          archivedAt: isArchived ? seen : undefined,
          ...visibility,
          ...outcome,
        });
      }),
    ),
  );
}

/**
 * A buyer with each of these rows, in a deal set and as single requests, and with open items where
 * the rows allow them.
 */
export function rowCombinationsWorld() {
  const anna = buyer({ changesGranted: true });
  const { record, cookie } = signIn(anna.id);
  const buyerId = anna.id;
  const requestedCar = { year: 2026, make: 'Subaru', model: 'Outback' };
  const car = {
    ...requestedCar,
    trim: 'Wishtrim',
    exteriorColor: 'Wishred',
    interiorColor: 'Wishblack',
    drivetrain: 'Wishdrive',
    powertrain: 'Wishpower',
  };
  const search = { buyerZip: '94536', radiusMiles: 250, dealersFound: 87_654_321 };
  const full = dealSet({ buyerId, car, ...search });
  const chosenOnly = dealSet({ buyerId, car });
  const sets = [
    full,
    dealSet({ buyerId, car: requestedCar, buyerZip: null, radiusMiles: null }),
    dealSet({ buyerId, car, endedAt: seen, dealersFound: 3 }),
    chosenOnly,
  ];
  const rows = rowCombinations({ buyerId, dealSetId: full.id });
  const singles = rowCombinations({ buyerId, dealSetId: null });
  const open = rows.filter((row) => !row.archivedAt && !row.ended);
  const threads = [...open, ...singles.slice(0, 9)].flatMap(({ id: priceCheckId }, index) => [
    question({
      priceCheckId,
      category: ['price', 'trade_in', 'made.up'][index % 3]!,
      text: `Zyxwords of question ${index}`,
      textWhileHidden: index % 3 ? `Zyxcleared of question ${index}` : undefined,
      promptId: index % 2 ? `prompt:${index}` : undefined,
      otdCents: index % 2 ? 3_000_000 : undefined,
    }),
    draft({
      priceCheckId,
      body: `Zyxwords of draft ${index} ${index % 2 ? 'long '.repeat(80) : ''}`,
      bodyWhileHidden: index % 3 ? `Zyxwords of draft ${index} ` : undefined,
    }),
    reply({ priceCheckId }),
  ]);
  const names = new Map(DEALERSHIPS.map(({ id, name }) => [id, name]));
  return {
    anna,
    full,
    sets,
    rows,
    singles,
    session: { cookie },
    nameOf: (row: { readonly dealershipId: string }): string => names.get(row.dealershipId)!,
    records: [
      ...[anna, record, grant({ buyerId }), grant({ buyerId, clientId: 'hosted-1', hosted: true })],
      ...[...DEALERSHIPS, ...sets, ...rows, ...singles],
      priceCheck({
        buyerId,
        dealSetId: chosenOnly.id,
        dealershipId: DEALERSHIPS[0]!.id,
        listing: {},
        chosenAt: seen,
      }),
      ...threads,
    ],
  };
}
