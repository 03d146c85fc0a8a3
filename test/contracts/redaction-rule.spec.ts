import { RedactionRule, type Principal } from '../../src/index.js';
import { redactionRuleContract } from '../../src/testing/redaction-rule.contract.js';
import { runContract } from './run-contract.js';

class NoListPrices extends RedactionRule {
  fieldsToHide(principal: Principal): readonly string[] {
    return principal.type === 'assistant' ? ['Row.listedAtCents', 'Hero.listedAtCents'] : [];
  }
}

describe('a redaction rule', () => {
  const rule = new NoListPrices();
  runContract(redactionRuleContract({ hiddenFrom: (principal) => rule.fieldsToHide(principal) }));

  it('that remembers whom it was asked about is found out', async () => {
    let calls = 0;
    const forgetful = { hiddenFrom: () => ((calls += 1) % 2 ? ['Row.listedAtCents'] : []) };
    const runs = redactionRuleContract(forgetful).map((test) => test.run());
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
