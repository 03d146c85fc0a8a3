import assert from 'node:assert/strict';
import type {
  CarText,
  DisplayTexts,
  Principal,
  RowCounts,
  RowStatus,
  Texts,
} from '@deal-sets/service';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';
import { ANNA, assistantOf, sessionOf, STRANGER } from './principals.js';

const CAR: CarText = {
  year: 2025,
  model: 'CR-V',
  trim: 'EX-L',
  exteriorColor: 'Blue',
  aboutMiles: 1200,
  listedAtCents: 3_200_000,
};
const STATUSES: readonly RowStatus[] = [
  ...(['written', 'waiting', 'different_car'] as const).map((state) => ({ state, ended: null })),
  ...(['sold', 'closed_with_price', 'no_price', 'timed_out'] as const).map((ended) => ({
    state: 'ended' as const,
    ended,
  })),
];
const NONE: RowCounts = {
  archived: 0,
  written: 0,
  waiting: 0,
  differentCar: 0,
  ended: 0,
  endedWithPrice: 0,
  closedWithPrice: 0,
};
const DEAL_SET = '5f0c1a52-7c3e-4d0e-9a51-0c7a7f6a1b01';
const PRICE_CHECK = '0d8f3f5e-8d67-4d6f-8c0b-6b8f5d0c1a01';
const ONE_LINE = /^(?=.*\S)[^\p{Cc}\u2028\u2029]{1,300}$/u;

/**
 * Returns one car for each combination of missing properties. At least one property is present.
 */
function cars<Part extends keyof CarText>(...parts: readonly Part[]): Pick<CarText, Part>[] {
  return Array.from({ length: 2 ** parts.length - 1 }, (_, hidden) =>
    Object.fromEntries(parts.map((name, at) => [name, (hidden >> at) & 1 ? null : CAR[name]])),
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
    ...STATUSES.map((status) => texts.status(status)),
    ...['price', 'of a kind that is new'].map((category) =>
      texts.questionHeading({ category, label: 'Blue 2025 CR-V' }),
    ),
    texts.headerLine(NONE),
    texts.headerLine({ ...NONE, archived: 1 }),
    texts.headerLine({ ...NONE, written: 1, waiting: 2, differentCar: 3, ended: 4, archived: 5 }),
    texts.dealSetHref(DEAL_SET),
    texts.priceCheckHref(DEAL_SET, PRICE_CHECK),
  ];
}

/** The texts under test. */
export interface DisplayTextsFixture {
  readonly texts: () => DisplayTexts;
  /** Further callers to test, for example one for each language. */
  readonly principals?: readonly Principal[];
  /** Creates texts whose dependency hangs; null for texts without calls outside the process. */
  readonly hung: HungFixture<DisplayTexts>;
}

/** Returns the tests of an implementation of `DisplayTexts`. */
export function displayTextsContract({
  texts,
  principals: further = [],
  hung,
}: DisplayTextsFixture): readonly ContractTest[] {
  const principals = [sessionOf(ANNA), sessionOf(STRANGER), assistantOf(ANNA), ...further];
  const forAll = async (signal: AbortSignal): Promise<string[]> => {
    const all: string[] = [];
    for (const principal of principals) {
      all.push(...makeAll(await texts().forCaller(principal, signal)));
    }
    return all;
  };
  return [
    inTime(
      'are one line of 1 to 300 characters, whichever properties of a car are unknown',
      async (signal) => {
        for (const text of await forAll(signal)) assert.match(text, ONE_LINE);
      },
    ),

    inTime('depend only on the caller and their arguments', async (signal) => {
      assert.deepEqual(await forAll(signal), await forAll(signal));
    }),

    inTime('leave unknown properties of a car out, without words such as null', async (signal) => {
      for (const text of await forAll(signal)) {
        assert.doesNotMatch(text, /\b(null|undefined|NaN)\b/);
      }
    }),

    ...givesUpHungCalls(hung, async (provider, signal) =>
      provider.forCaller(sessionOf(ANNA), signal),
    ),
  ];
}
