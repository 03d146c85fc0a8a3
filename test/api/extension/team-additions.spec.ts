import {
  EnglishTexts,
  ownField,
  type CarText,
  type OwnFieldRequest,
  type RedactionRule,
} from '../../../src/index.js';
import {
  ownFieldContract,
  redactionRuleContract,
  startHungServer,
  textsContract,
  type ContractTest,
} from '../../../packages/testing/src/index.js';
import { sessionOf } from '../../../packages/testing/src/principals.js';
import { runContract } from './run-contract.js';

const BUYER = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const request: OwnFieldRequest = {
  ids: ['a', 'b'],
  principal: sessionOf(BUYER),
  query: () => Promise.resolve([]),
};
const scores = ownField({
  type: 'count',
  description: 'A score.',
  load: ({ ids }) => Promise.resolve(new Map(ids.includes('a') ? [['a', 7]] : [])),
});
/** @param passesSignal whether the field hands its signal to the call. */
const overHttp = (url: string, passesSignal: boolean) =>
  ownField({
    ...scores,
    async load({ ids }, signal) {
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

describe('the English texts', () => {
  runContract(textsContract({ texts: new EnglishTexts() }));
});

const noListPrices: RedactionRule = {
  hide: ['listedAtCents'],
  from: (principal) => principal.type === 'assistant',
};

describe('a redaction rule', () => {
  runContract(redactionRuleContract({ rule: noListPrices }));
});

describe('the suites', () => {
  const failed = async (tests: readonly ContractTest[]): Promise<string[]> => {
    const outcomes = await Promise.allSettled(tests.map(({ run }) => run()));
    return tests
      .filter((_, place) => outcomes[place]?.status === 'rejected')
      .map(({ name }) => name);
  };

  it('find a field that does not pass its signal on', async () => {
    const suite = ownFieldContract({
      field: () => scores,
      request: () => request,
      hung: hungWith(false),
    });
    expect(await failed(suite)).toEqual([
      'ends its call to a dependency that hangs when its signal is aborted',
    ]);
  });

  it('find a field of another type, and one whose values depend on the company', async () => {
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

  it('find texts that say null, texts that are empty, and texts that change', async () => {
    let calls = 0;
    const failedWith = (car: (given: CarText) => string): Promise<string[]> =>
      failed(textsContract({ texts: Object.assign(new EnglishTexts(), { car }) }));
    expect(await failedWith(({ trim }) => `${trim}`)).toEqual([
      'show no part of a car that is unknown as such',
    ]);
    expect(await failedWith(({ trim }) => trim ?? '')).toEqual([
      'are one line of 1 to 300 characters, with any part of a car unknown',
    ]);
    expect(await failedWith(() => `Car ${(calls += 1)}`)).toEqual([
      'depend on their argument alone',
    ]);
  });

  it('find a rule that remembers whom it was asked about', async () => {
    let calls = 0;
    const moody: RedactionRule = { ...noListPrices, from: () => (calls += 1) % 2 === 0 };
    expect(await failed(redactionRuleContract({ rule: moody }))).toEqual([
      'depends on the principal alone',
    ]);
  });
});
