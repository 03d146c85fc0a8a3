import assert from 'node:assert/strict';
import type { CarText } from '../deal-sets/domain/car-label.js';
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
const STATES: readonly RowState[] = ['written', 'waiting', 'different_car'];
const NONE: SummaryFacts = {
  written: 0,
  waiting: 0,
  differentCar: 0,
  ended: 0,
  endedWithPrice: 0,
  closedWithPrice: 0,
};
const ONE_LINE = /^(?=.*\S)[^\p{Cc}\u2028\u2029]{1,300}$/u;

/** The car with every choice of parts unknown or hidden, at least one known. */
function cars<Part extends keyof CarText>(...parts: readonly Part[]): Pick<CarText, Part>[] {
  return Array.from({ length: 2 ** parts.length - 1 }, (_, hidden) =>
    Object.fromEntries(parts.map((part, at) => [part, (hidden >> at) & 1 ? null : CAR[part]])),
  ) as Pick<CarText, Part>[];
}

function makeAll(texts: Texts): string[] {
  const { year, model } = CAR;
  return [
    ...cars('year', 'model', 'trim', 'exteriorColor', 'aboutMiles', 'listedAtCents').map((car) =>
      texts.car(car),
    ),
    ...cars('year', 'model', 'trim').map((car) => texts.shortCar(car)),
    texts.requestedCar({ year, model }),
    texts.requestedCar({ year: null, model: null }),
    ...STATES.map((state) => texts.status({ state, ended: null })),
    ...ENDINGS.map((ended) => texts.status({ state: 'ended', ended })),
    ...['price', 'of a kind that is new'].map((category) =>
      texts.questionHeading({ category, label: 'Blue 2025 CR-V' }),
    ),
    texts.headerLine({ ...NONE, archived: 0 }),
    texts.headerLine({ ...NONE, archived: 1 }),
    texts.headerLine({ ...NONE, written: 1, waiting: 2, differentCar: 3, ended: 4, archived: 5 }),
  ];
}

/** What the texts of every team must do. */
export function textsContract({ texts }: { readonly texts: Texts }): readonly ContractTest[] {
  const test = (name: string, work: () => void): ContractTest => ({
    name,
    async run() {
      await Promise.resolve();
      work();
    },
  });
  return [
    test('are one line of 1 to 300 characters, with any part of a car unknown', () => {
      for (const text of makeAll(texts)) assert.match(text, ONE_LINE);
    }),

    test('depend on their argument alone', () => {
      assert.deepEqual(makeAll(texts), makeAll(texts));
    }),

    test('show no part of a car that is unknown as such', () => {
      for (const text of makeAll(texts)) assert.doesNotMatch(text, /\b(null|undefined|NaN)\b/);
    }),
  ];
}
