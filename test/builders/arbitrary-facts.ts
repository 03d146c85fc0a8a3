import fc from 'fast-check';
import type {
  DealSetFacts,
  ListedFacts,
  NeedsYouFacts,
  PriceCheckFacts,
} from '../../src/deal-sets/domain/facts.js';

/** A listing of which nothing is known. */
export const UNKNOWN_LISTING: ListedFacts = {
  year: null,
  model: null,
  trim: null,
  exteriorColor: null,
  mileage: null,
  listedAtCents: null,
};

/** The facts of a price check that the database derives from its other columns. */
type DerivedFacts = Pick<PriceCheckFacts, 'isWritten' | 'state'>;

/** Returns a price check with these facts, by the rules of the contract (section 3.1). */
export function withDerivedFacts<Row extends Omit<PriceCheckFacts, keyof DerivedFacts>>(
  row: Row,
): Row & DerivedFacts {
  const isWritten = row.otdCents !== null && row.writtenAt !== null;
  const openState = isWritten ? 'written' : 'waiting';
  const liveState = row.answer === 'different_car' ? 'different_car' : openState;
  return { ...row, isWritten, state: row.ended === null ? liveState : 'ended' };
}

/** Returns the row with an ending that its price allows: the database rejects any other. */
function withPossibleEnding(row: PriceCheckFacts): PriceCheckFacts {
  const ended =
    row.ended === 'closed_with_price' && !row.isWritten
      ? 'timed_out'
      : row.ended === 'no_price' && row.isWritten && row.answer !== 'different_car'
        ? 'sold'
        : row.ended;
  return { ...row, ended };
}

/** A price check of which nothing is known yet. */
export const NEW_PRICE_CHECK: Omit<PriceCheckFacts, 'id'> = {
  ...UNKNOWN_LISTING,
  answer: null,
  otdCents: null,
  sellingPriceCents: null,
  writtenAt: null,
  isWritten: false,
  ended: null,
  state: 'waiting',
  isSeen: false,
  isChosen: false,
  isArchived: false,
  isVerifiedPartner: false,
  distanceMiles: null,
  dealershipName: null,
};

const cents = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 1_000_000, max: 9_000_000 }),
  fc.constantFrom(0, Number.MAX_SAFE_INTEGER),
);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(value, { nil: null });
const trim = fc.constantFrom('EX', 'LX', 'Sport', 'Élan', 'R/T', 'Rock ’n’ Roll', 'a', 'Z');
const writtenAt = fc.constantFrom(
  '2026-11-01T10:00:00.000Z',
  '2026-11-01T10:00:00.001Z',
  '2026-11-02T09:00:00.000Z',
);

/** The facts of a row in any state, as the buyer's own session reads them. */
export const priceCheckFacts: fc.Arbitrary<PriceCheckFacts> = fc
  .record({
    id: fc.uuid(),
    year: maybe(fc.integer({ min: 1990, max: 2027 })),
    model: maybe(fc.constantFrom('Civic', 'Outback', 'F-150')),
    trim: maybe(trim),
    exteriorColor: maybe(fc.constantFrom('Red', 'Grün', 'Silver')),
    mileage: maybe(fc.integer({ min: 0, max: 250_000 })),
    listedAtCents: maybe(cents),
    answer: fc.constantFrom('same_car' as const, 'different_car' as const, null),
    price: maybe(
      fc.record({ otdCents: cents, sellingPriceCents: maybe(cents), writtenAt: maybe(writtenAt) }),
    ),
    ended: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          'sold' as const,
          'closed_with_price' as const,
          'no_price' as const,
          'timed_out' as const,
        ),
      },
    ),
    standing: fc.constantFrom('hidden', 'unlocked', 'chosen'),
    isArchived: fc.boolean(),
    isVerifiedPartner: fc.boolean(),
    distanceMiles: maybe(fc.double({ min: 0, max: 3000, noNaN: true })),
    name: fc.constantFrom('Redwood Honda', 'Bay Subaru', 'Honda of Fremont'),
  })
  .map(({ price, standing, name, ...row }) =>
    withPossibleEnding(
      withDerivedFacts({
        ...NEW_PRICE_CHECK,
        ...row,
        otdCents: price?.otdCents ?? null,
        sellingPriceCents: price?.sellingPriceCents ?? null,
        writtenAt: price?.writtenAt ?? null,
        isSeen: standing !== 'hidden',
        isChosen: standing === 'chosen',
        dealershipName: standing === 'hidden' ? null : name,
      }),
    ),
  );

/**
 * Properties that the rows of a deal set share: without them, few deal sets lack a ranked row.
 */
const alike = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Partial<PriceCheckFacts>>(
      { ended: 'sold' },
      { ended: 'closed_with_price' },
      { ended: 'no_price', answer: 'different_car' },
      { isArchived: true },
      { isArchived: true, answer: 'different_car' },
      { answer: 'different_car' },
      { otdCents: null, sellingPriceCents: null, writtenAt: null },
      // Rows of one group with one price.
      { otdCents: 3_000_000, ended: null, answer: 'same_car', isArchived: false },
    ),
  },
);
const priceChecks = fc
  .tuple(fc.uniqueArray(priceCheckFacts, { maxLength: 30, selector: (row) => row.id }), alike)
  .map(([rows, same]) =>
    rows.map((row) => withPossibleEnding(withDerivedFacts({ ...row, ...same }))),
  );

/** A deal set of up to 30 members with open items on those that can have them. */
export const dealSetFacts: fc.Arbitrary<DealSetFacts> = fc
  .record({
    id: fc.uuid(),
    car: fc.constant({
      year: 2026,
      make: 'Honda',
      model: 'Civic',
      trim: 'EX',
      exteriorColor: 'Red',
      interiorColor: 'Black',
      drivetrain: 'FWD',
      powertrain: 'Gas',
    }),
    buyerZip: maybe(fc.constant('94536')),
    radiusMiles: maybe(fc.constantFrom(100, 250)),
    dealersFound: maybe(fc.nat(50)),
    priceChecks,
    words: fc.string({ unit: 'grapheme', maxLength: 400 }),
  })
  .map(({ words, ...set }) => ({
    ...set,
    needsYouItems: set.priceChecks
      .filter((row) => !row.isArchived && row.ended === null)
      .slice(0, 6)
      .map((row, index): NeedsYouFacts =>
        index % 2 === 0
          ? {
              kind: 'question',
              id: `q-${row.id}`,
              priceCheckId: row.id,
              promptId: null,
              category: index === 0 ? 'trade_in' : 'made_up',
              answerMode: 'yes_no',
              otdCents: null,
              words,
            }
          : {
              kind: 'draft',
              id: `d-${row.id}`,
              priceCheckId: row.id,
              words,
              isPartial: false,
            },
      ),
  }));

/** Returns a deal set as it is read for an assistant: without names and words. */
export function withoutWithheldFacts(set: DealSetFacts): DealSetFacts {
  return {
    ...set,
    priceChecks: set.priceChecks.map((row) => ({ ...row, dealershipName: null })),
    needsYouItems: set.needsYouItems.map((item) => ({ ...item, words: null })),
  };
}
