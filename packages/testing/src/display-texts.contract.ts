import assert from 'node:assert/strict';
import type { CarText, DisplayTexts, TextContext } from '@deal-sets/service';
import { atOnce, type ContractTest } from './contract-test.js';

const CAR: CarText = {
  year: 2025,
  model: 'CR-V',
  trim: 'EX-L',
  exteriorColor: 'Blue',
  aboutMiles: 1200,
  listedAtCents: 3_200_000,
};
type Status = Parameters<DisplayTexts['status']>[0];
const STATUSES: readonly Status[] = [
  ...(['written', 'waiting', 'different_car'] as const).map((state) => ({ state, ended: null })),
  ...(['sold', 'closed_with_price', 'no_price', 'timed_out'] as const).map((ended) => ({
    state: 'ended' as const,
    ended,
  })),
];
const NONE: Parameters<DisplayTexts['headerLine']>[0] = {
  archived: 0,
  written: 0,
  waiting: 0,
  differentCar: 0,
  ended: 0,
  endedWithPrice: 0,
  closedWithPrice: 0,
};
const ONE_LINE = /^(?=.*\S)[^\p{Cc}\u2028\u2029]{1,300}$/u;

/**
 * Returns one car for each combination of missing properties. At least one property is present.
 */
function cars<Part extends keyof CarText>(...parts: readonly Part[]): Pick<CarText, Part>[] {
  return Array.from({ length: 2 ** parts.length - 1 }, (_, hidden) =>
    Object.fromEntries(parts.map((name, at) => [name, (hidden >> at) & 1 ? null : CAR[name]])),
  ) as Pick<CarText, Part>[];
}

function makeAll(texts: DisplayTexts, context: TextContext): string[] {
  const { year, model } = CAR;
  return [
    ...cars('year', 'model', 'trim', 'exteriorColor', 'aboutMiles', 'listedAtCents').map((car) =>
      texts.car(car, context),
    ),
    ...cars('year', 'model', 'trim').map((car) => texts.shortCar(car, context)),
    texts.requestedCar({ year, model }, context),
    texts.requestedCar({ year: null, model: null }, context),
    ...STATUSES.map((status) => texts.status(status, context)),
    ...['price', 'of a kind that is new'].map((category) =>
      texts.questionHeading({ category, label: 'Blue 2025 CR-V' }, context),
    ),
    texts.headerLine(NONE, context),
    texts.headerLine({ ...NONE, archived: 1 }, context),
    texts.headerLine(
      { ...NONE, written: 1, waiting: 2, differentCar: 3, ended: 4, archived: 5 },
      context,
    ),
  ];
}

/** The texts under test, and the locales to test them in. */
export interface DisplayTextsFixture {
  readonly texts: DisplayTexts;
  /** The locales that the host application's `LocaleResolver` chooses. Default: `en-US`. */
  readonly locales?: readonly string[];
}

/** Returns the tests of an implementation of `DisplayTexts`. */
export function displayTextsContract({
  texts,
  locales = ['en-US'],
}: DisplayTextsFixture): readonly ContractTest[] {
  const contexts = locales.flatMap((locale): TextContext[] => [
    { locale, principalType: 'session' },
    { locale, principalType: 'assistant' },
  ]);
  const inAllContexts = (): string[] => contexts.flatMap((context) => makeAll(texts, context));
  return [
    atOnce('are one line of 1 to 300 characters, whichever properties of a car are unknown', () => {
      for (const text of inAllContexts()) assert.match(text, ONE_LINE);
    }),

    atOnce('depend only on their arguments', () => {
      assert.deepEqual(inAllContexts(), inAllContexts());
    }),

    atOnce('leave unknown properties of a car out, without words such as null', () => {
      for (const text of inAllContexts()) assert.doesNotMatch(text, /\b(null|undefined|NaN)\b/);
    }),
  ];
}
