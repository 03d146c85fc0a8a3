import assert from 'node:assert/strict';
import type { CarText, DisplayTexts } from '../deal-sets/additions/display-texts.js';
import { textsOf } from '../deal-sets/additions/display-texts.js';
import type { SummaryFacts } from '../deal-sets/domain/facts.js';
import type { RowState } from '../deal-sets/domain/row-state.js';
import type { Texts } from '../deal-sets/domain/texts.js';
import { ENDINGS } from '../kernel/price-check-values.js';
import type { ContractTest } from './contract-test.js';

const CAR: CarText = {
  year: 2025,
  model: 'CR-V',
  trim: 'EX-L',
  exteriorColor: 'Blue',
  aboutMiles: 1200,
  listedAtCents: 3_200_000,
};
/** Every car of which some parts are unknown or hidden, at least one known. */
const CARS: readonly CarText[] = Array.from({ length: 63 }, (_, hidden) =>
  Object.fromEntries(
    Object.entries(CAR).map(([part, value], place) => [part, (hidden >> place) & 1 ? null : value]),
  ),
) as unknown as CarText[];
const STATES: readonly RowState[] = ['written', 'waiting', 'different_car'];
const NONE: SummaryFacts = {
  written: 0,
  waiting: 0,
  differentCar: 0,
  ended: 0,
  endedWithPrice: 0,
  closedWithPrice: 0,
};

function makeAll(texts: Texts): string[] {
  const listings = CARS.map(({ aboutMiles, ...car }) => ({ ...car, mileage: aboutMiles }));
  return [
    ...listings.map((listing) => texts.car(listing, 'Car')),
    ...listings.map((listing) => texts.shortCar(listing) ?? 'none'),
    texts.requestedCar({ year: 2025, model: 'CR-V' }),
    texts.requestedCar({ year: 2025, model: 'CR-V', namesDealership: true }),
    ...STATES.map((state) => texts.status(state, null)),
    ...ENDINGS.map((ended) => texts.status('ended', ended)),
    ...['price', 'of a kind that is new'].map((category) =>
      texts.questionHeading(category, 'Blue 2025 CR-V'),
    ),
    texts.headerLine(NONE, 0),
    texts.headerLine(NONE, 1),
    texts.headerLine({ ...NONE, written: 1, waiting: 2, differentCar: 3, ended: 4 }, 5),
  ];
}

/** What the display texts of every team must do. */
export function displayTextsContract({
  texts,
}: {
  readonly texts: DisplayTexts;
}): readonly ContractTest[] {
  const checked = (): Texts =>
    textsOf(texts, (name, error) => {
      throw new assert.AssertionError({
        message: `${name}: ${error instanceof Error ? error.message : 'thrown without an error'}`,
      });
    });
  const test = (name: string, work: () => void): ContractTest => ({
    name,
    async run() {
      await Promise.resolve();
      work();
    },
  });
  return [
    test('are one line of 1 to 300 characters, with any part of a car unknown', () => {
      makeAll(checked());
    }),

    test('depend on their argument alone', () => {
      assert.deepEqual(makeAll(checked()), makeAll(checked()));
    }),

    test('show no part of a car that is unknown as such', () => {
      for (const text of makeAll(checked())) {
        assert.doesNotMatch(text, /\b(null|undefined|NaN)\b/, 'a text says that a part is null');
      }
    }),
  ];
}
