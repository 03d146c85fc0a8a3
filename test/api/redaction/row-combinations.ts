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
const NAMES = [
  'Qorvath Motors',
  'Zyx Automall',
  'Vexley Subaru',
  'Wyvern Kia of Quillon',
  'Jaxxon',
];

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

/** Every visibility of a dealership with every outcome of a row, archived and not, once known and once unknown. */
function rowCombinations(
  buyerId: string,
  dealSetId: string | null,
  dealershipIds: readonly string[],
) {
  const random = fc.sample(fc.nat(1_000_000), { numRuns: 400, seed: 5 });
  let place = 0;
  const pick = <T>(list: readonly T[]): T => list[random[place % random.length]! % list.length]!;
  return Object.values(VISIBILITIES).flatMap((visibility) =>
    Object.values(OUTCOMES).flatMap((outcome) =>
      [false, true].map((isArchived) => {
        place += 1;
        const isKnown = place % 3 > 0;
        return priceCheck({
          buyerId,
          dealSetId,
          dealershipId: dealershipIds[place % dealershipIds.length]!,
          listing: isKnown
            ? {
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
              }
            : {},
          distanceMiles: pick([
            0,
            9.999,
            10,
            24.875,
            25,
            49.875,
            50,
            99.875,
            100,
            100.125,
            512.625,
            undefined,
          ]),
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

/** A buyer with each of these rows, in a deal set and as single requests, and what may be open on them. */
export function rowCombinationsWorld() {
  const anna = buyer({ changesGranted: true });
  const dealerships = NAMES.map((name, index) =>
    dealership({
      name,
      phone: `(415) 555-01${index}7`,
      email: `desk${index}@zyxauto.example`,
      website: `https://dealer${index}.zyxauto.example`,
      verifiedPartner: [true, false, undefined][index % 3],
    }),
  );
  const ids = dealerships.map((dealer) => dealer.id);
  const configuration = {
    trim: 'Wishtrim',
    exteriorColor: 'Wishred',
    interiorColor: 'Wishblack',
    drivetrain: 'Wishdrive',
    powertrain: 'Wishpower',
  };
  const car = { year: 2026, make: 'Subaru', model: 'Outback', ...configuration };
  const full = dealSet({
    buyerId: anna.id,
    car,
    buyerZip: '94536',
    radiusMiles: 250,
    dealersFound: 87_654_321,
  });
  const empty = dealSet({
    buyerId: anna.id,
    car: { year: 2026, make: 'Subaru', model: 'Outback' },
    buyerZip: undefined,
    radiusMiles: undefined,
  });
  const ended = dealSet({ buyerId: anna.id, car, endedAt: seen, dealersFound: 3 });
  const chosenOnly = dealSet({ buyerId: anna.id, car });
  const rows = rowCombinations(anna.id, full.id, ids);
  const singles = rowCombinations(anna.id, null, ids);
  const open = rows.filter((row) => !row.archivedAt && !row.ended);
  const threads = [...open, ...singles.slice(0, 9)].flatMap((row, index) => [
    question({
      priceCheckId: row.id,
      category: ['price', 'trade_in', 'made.up'][index % 3]!,
      text: `Zyxwords of question ${index}`,
      promptId: index % 2 ? `prompt:${index}` : undefined,
      otdCents: index % 2 ? 3_000_000 : undefined,
    }),
    draft({
      priceCheckId: row.id,
      body: `Zyxwords of draft ${index} ${index % 2 ? 'long '.repeat(80) : ''}`,
    }),
    reply({ priceCheckId: row.id }),
  ]);
  const { record, cookie } = signIn(anna.id);
  return {
    anna,
    full,
    rows,
    singles,
    names: new Map(
      rows.concat(singles).map((row) => [row.id, NAMES[ids.indexOf(row.dealershipId)]!]),
    ),
    distances: new Map(rows.map((row) => [row.id, row.distanceMiles ?? null])),
    sets: [full, empty, ended, chosenOnly],
    session: { cookie },
    records: [
      anna,
      ...dealerships,
      full,
      empty,
      ended,
      chosenOnly,
      ...rows,
      ...singles,
      priceCheck({
        buyerId: anna.id,
        dealSetId: chosenOnly.id,
        dealershipId: ids[0]!,
        listing: {},
        chosenAt: seen,
      }),
      ...threads,
      record,
      grant({ buyerId: anna.id }),
      grant({ buyerId: anna.id, clientId: 'hosted-1', hosted: true }),
    ],
  };
}
