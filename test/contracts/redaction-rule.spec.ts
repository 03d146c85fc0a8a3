import type { RedactionRule } from '../../src/index.js';
import { redactionRuleContract } from '../../src/testing/redaction-rule.contract.js';
import { runContract } from './run-contract.js';

const noListPrices: RedactionRule = {
  hide: ['listedAtCents'],
  from: (principal) => principal.type === 'assistant',
};

describe('a redaction rule', () => {
  const { hide, from } = noListPrices;
  runContract(redactionRuleContract({ hiddenFrom: (principal) => (from(principal) ? hide : []) }));

  it('that remembers whom it was asked about is found out', async () => {
    let calls = 0;
    const forgetful = { hiddenFrom: () => ((calls += 1) % 2 ? ['listedAtCents'] : []) };
    const runs = redactionRuleContract(forgetful).map((test) => test.run());
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
