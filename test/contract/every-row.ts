import type { Row } from '../../src/deal-sets/dto/row.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  priceCheck,
  question,
  written,
} from '../builders/index.js';

const writtenAt = '2026-01-03T00:00:00.000Z';
export const unlockedAt = '2026-01-05T00:00:00Z';
const chosenAt = '2026-01-06T00:00:00Z';
const archivedAt = '2026-01-07T00:00:00Z';

/** The buyer of the deal set. */
export const anna = buyer({ changesGranted: true });
export const fremont = dealership({ name: 'Fremont Honda', verifiedPartner: true });
export const bay = dealership({ name: 'Bay Honda', verifiedPartner: false });
const oakland = dealership({ name: 'Oakland Honda' });
const delta = dealership({ name: 'Delta Motors' });
const marina = dealership({ name: 'Marina Autos' });

/** A deal set of a fully configured car. */
export const set = dealSet({
  buyerId: anna.id,
  car: {
    year: 2026,
    make: 'Honda',
    model: 'Civic',
    trim: 'Wished Trim',
    exteriorColor: 'Wished Red',
    interiorColor: 'Wished Black',
    drivetrain: 'Wished FWD',
    powertrain: 'Wished Hybrid',
  },
  buyerZip: '94536',
  radiusMiles: 250,
  dealersFound: 17,
});

/** A row of the deal set, with a listing of this trim. */
export function member(
  dealer: { readonly id: string },
  trim: string | null,
  values: Partial<Parameters<typeof priceCheck>[0]> = {},
) {
  return priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: dealer.id,
    listing: {
      year: 2026,
      make: 'Honda',
      model: 'Civic',
      trim,
      exteriorColor: 'Blue',
      mileage: 12_349,
      listedAtCents: 3_099_900,
    },
    distanceMiles: 12.375,
    ...values,
  });
}

const carOf = (trim: string): string =>
  `Blue 2026 Civic${trim}, about 12,300 miles, listed at $30,999`;

/** How a row is labelled by its car. */
export function carLabel({ listing }: ReturnType<typeof member>): string {
  // With nothing known of the listing, it is the requested car.
  if (Object.keys(listing).length === 0) return '2026 Civic';
  return carOf(listing.trim ? ` ${listing.trim}` : '');
}

/** The row of a dealership that has not replied and that the buyer has not seen. */
export const WAITING: Omit<Row, 'rowKey' | 'statusLabel'> = {
  label: carOf(' EX'),
  hidden: true,
  chosen: false,
  archived: false,
  state: 'waiting',
  ended: null,
  otdCents: null,
  sellingPriceCents: null,
  listedAtCents: 3_099_900,
  writtenAt: null,
  gapToLowestCents: null,
  canChoose: false,
  canUnlock: false,
  quotedTrim: 'EX',
  distanceMiles: 10,
  distanceBand: '10 to 25 miles',
  priceCheckHref: null,
  isVerifiedPartner: false,
};
const seen = (label: string): Partial<Row> => ({
  label,
  hidden: false,
  distanceMiles: 12.375,
  priceCheckHref: expect.stringMatching(`^/deal-sets/${set.id}/price-checks/[0-9a-f-]+$`) as string,
});
const ranked = (otdCents: number, gapToLowestCents: number): Partial<Row> => ({
  state: 'written',
  otdCents,
  gapToLowestCents,
  writtenAt,
});

/**
 * A row in each possible state: the record, and what the buyer is shown of it besides `WAITING`.
 */
export const ROWS = {
  lowest: [
    member(fremont, 'EX', {
      answer: 'same_car',
      price: { otdCents: 3_000_000, sellingPriceCents: 2_700_000, writtenAt },
      distanceMiles: 31.625,
    }),
    {
      ...ranked(3_000_000, 0),
      sellingPriceCents: 2_700_000,
      canUnlock: true,
      isVerifiedPartner: true,
      distanceMiles: 25,
      distanceBand: '25 to 50 miles',
    },
  ],
  unlocked: [
    member(bay, 'EX', { ...written(3_010_000), unlockedAt }),
    { ...ranked(3_010_000, 10_000), ...seen('Bay Honda'), canChoose: true },
  ],
  chosen: [
    member(oakland, 'EX', { ...written(3_020_000), unlockedAt, chosenAt }),
    { ...ranked(3_020_000, 20_000), ...seen('Oakland Honda'), chosen: true },
  ],
  'chosen at once': [
    member(delta, 'LX', { ...written(3_049_999), chosenAt }),
    { ...ranked(3_049_999, 0), ...seen('Delta Motors'), chosen: true, quotedTrim: 'LX' },
  ],
  'without a trim': [
    member(marina, null, written(3_500_000)),
    { ...ranked(3_500_000, 0), canUnlock: true, label: carOf(''), quotedTrim: null },
  ],
  'without a listing': [
    member(delta, null, { listing: {}, ...written(3_600_000), distanceMiles: null }),
    {
      ...ranked(3_600_000, 100_000),
      canUnlock: true,
      label: '2026 Civic',
      quotedTrim: null,
      listedAtCents: null,
      distanceMiles: null,
      distanceBand: null,
    },
  ],
  waiting: [member(fremont, 'EX'), { isVerifiedPartner: true }],
  'priced, but not in writing': [
    member(bay, 'EX', { answer: 'same_car', price: { otdCents: 1_000_000 } }),
    {},
  ],
  'a different car': [
    member(oakland, 'Sport', { ...written(2_000_000), answer: 'different_car' }),
    {
      state: 'different_car',
      otdCents: 2_000_000,
      writtenAt,
      label: carOf(' Sport'),
      quotedTrim: 'Sport',
    },
  ],
  sold: [
    member(delta, 'EX', { ...written(2_100_000), ended: 'sold' }),
    { state: 'ended', ended: 'sold', otdCents: 2_100_000, writtenAt, canUnlock: true },
  ],
  'sold after the buyer unlocked it': [
    member(bay, 'EX', { ...written(2_150_000), ended: 'sold', unlockedAt }),
    {
      ...seen('Bay Honda'),
      state: 'ended',
      ended: 'sold',
      otdCents: 2_150_000,
      writtenAt,
      canChoose: true,
    },
  ],
  'closed with a price': [
    member(marina, 'EX', { ...written(2_200_000), ended: 'closed_with_price' }),
    { state: 'ended', ended: 'closed_with_price', otdCents: 2_200_000, writtenAt, canUnlock: true },
  ],
  'closed with a price for a different car': [
    member(marina, 'EX', {
      ...written(2_300_000),
      answer: 'different_car',
      ended: 'closed_with_price',
    }),
    { state: 'ended', ended: 'closed_with_price', otdCents: 2_300_000, writtenAt },
  ],
  'ended without a price': [
    member(fremont, 'EX', { ended: 'no_price' }),
    { state: 'ended', ended: 'no_price', isVerifiedPartner: true },
  ],
  'timed out': [
    member(bay, 'EX', { ended: 'timed_out', price: { otdCents: 5 } }),
    { state: 'ended', ended: 'timed_out' },
  ],
  archived: [
    member(oakland, 'EX', { ...written(1_500_000), archivedAt, chosenAt }),
    {
      ...ranked(1_500_000, 0),
      ...seen('Oakland Honda'),
      gapToLowestCents: null,
      chosen: true,
      archived: true,
    },
  ],
} satisfies Record<string, [ReturnType<typeof member>, Partial<Row>]>;
export type Name = keyof typeof ROWS;
export const idOf = (name: Name): string => ROWS[name][0].id;

export const items = {
  question: question({
    priceCheckId: idOf('lowest'),
    promptId: 'prompt:1',
    category: 'trade_in',
    text: 'Secret words of a question',
    textWhileHidden: 'Cleared words of a question',
    answerMode: 'yes_no',
    otdCents: 3_000_000,
  }),
  unknownCategory: question({ priceCheckId: idOf('unlocked'), category: 'made.up' }),
  answered: question({ priceCheckId: idOf('lowest'), answeredAt: unlockedAt }),
  onArchived: question({ priceCheckId: idOf('archived') }),
  onEnded: question({ priceCheckId: idOf('sold') }),
  draft: draft({ priceCheckId: idOf('chosen'), body: 'Secret words of a draft' }),
  resolved: draft({ priceCheckId: idOf('chosen'), resolvedAt: unlockedAt }),
};

/** Everything but the buyer. */
export const records = [
  ...[set, fremont, bay, oakland, delta, marina],
  ...Object.values(ROWS).map(([row]) => row),
  ...Object.values(items),
];
