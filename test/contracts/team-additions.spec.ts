import { count, ownField, type DisplayTexts, type OwnFieldRequest } from '../../src/index.js';
import {
  displayTextsContract,
  ownFieldContract,
  rowOrderContract,
  startHungServer,
  type ContractTest,
} from '../../src/testing/index.js';
import { sessionOf } from '../../src/testing/principals.js';
import { runContract } from './run-contract.js';

const BUYER = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const request: OwnFieldRequest = {
  ids: ['a', 'b'],
  principal: sessionOf(BUYER),
  query: () => Promise.resolve([]),
};
const scores = ownField({
  value: count,
  description: 'A score.',
  load: ({ ids }) => Promise.resolve(new Map(ids.includes('a') ? [['a', 7]] : [])),
});
/** @param passesSignal whether the field hands its signal to the call. */
const overHttp = (url: string, passesSignal: boolean) =>
  ownField<number>({
    ...scores,
    async load({ ids }, { signal }) {
      await fetch(url, passesSignal ? { signal } : {});
      return new Map(ids.map((id) => [id, 1]));
    },
  });
const hungWith = (passesSignal: boolean) => async () => {
  const { url, openCalls, stop } = await startHungServer();
  return { part: { field: overHttp(url, passesSignal), request }, openCalls, stop };
};

describe('a field of a team', () => {
  runContract(
    ownFieldContract({ field: () => scores, request: () => request, hung: hungWith(true) }),
  );
});

describe('an order of a team', () => {
  runContract(rowOrderContract({ order: ({ sellingPriceCents }) => sellingPriceCents ?? 0 }));
});

const texts: DisplayTexts = { car: ({ model }) => model ?? 'Auto', status: ({ state }) => state };
describe('texts of a team', () => {
  runContract(displayTextsContract({ texts }));
});

describe('the suites find', () => {
  const failed = async (tests: readonly ContractTest[]): Promise<string[]> => {
    const outcomes = await Promise.allSettled(tests.map(({ run }) => run()));
    return tests
      .filter((_, place) => outcomes[place]?.status === 'rejected')
      .map(({ name }) => name);
  };

  it('a field that does not pass its signal on', async () => {
    const suite = ownFieldContract({
      field: () => scores,
      request: () => request,
      hung: hungWith(false),
    });
    expect(await failed(suite)).toEqual([
      'ends its call to a dependency that hangs when its signal is aborted',
    ]);
  });

  it('a field of another type, and one whose values depend on the company', async () => {
    let calls = 0;
    const wrong = { ...scores, load: () => Promise.resolve(new Map([['a', 'seven']])) };
    const moody = { ...scores, load: () => Promise.resolve(new Map([['a', (calls += 1)]])) };
    const suiteOf = (field: typeof scores) =>
      ownFieldContract({ field: () => field, request: () => request, hung: null });
    expect(await failed(suiteOf(wrong as never))).toEqual([
      'returns a value of the declared type for one of the ids at least',
    ]);
    expect(await failed(suiteOf(moody))).toEqual(['gives each id the same value in any company']);
  });

  it('an order without a key, and one that remembers', async () => {
    let calls = 0;
    expect(
      await failed(rowOrderContract({ order: ({ distanceMiles }) => distanceMiles as number })),
    ).toEqual(['has a key for every row, of one type for each principal']);
    expect(await failed(rowOrderContract({ order: () => (calls += 1) }))).toEqual([
      'depends on the row alone',
    ]);
  });

  it('texts that say null, and texts that are empty', async () => {
    expect(await failed(displayTextsContract({ texts: { car: ({ trim }) => `${trim}` } }))).toEqual(
      ['show no part of a car that is unknown as such'],
    );
    expect(
      await failed(displayTextsContract({ texts: { car: ({ trim }) => trim ?? '' } })),
    ).toHaveLength(3);
  });
});
