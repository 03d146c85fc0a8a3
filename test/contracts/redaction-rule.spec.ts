import type { RedactionRule } from '../../src/index.js';
import { redactionRuleContract } from '../../packages/testing/src/redaction-rule.contract.js';
import { runContract } from './run-contract.js';

const noListPrices: RedactionRule = {
  hide: ['listedAtCents'],
  from: (principal) => principal.type === 'assistant',
};

describe('a redaction rule', () => {
  runContract(redactionRuleContract({ rule: noListPrices }));

  it('that remembers whom it was asked about is found out', async () => {
    let calls = 0;
    const moody: RedactionRule = { ...noListPrices, from: () => (calls += 1) % 2 === 0 };
    const runs = redactionRuleContract({ rule: moody }).map((test) => test.run());
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
