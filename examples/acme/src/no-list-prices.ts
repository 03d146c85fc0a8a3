import { RedactionRule, type Principal } from 'deal-sets';

/** List prices are not shown to the assistants of a competitor. */
export class NoListPrices extends RedactionRule {
  fieldsToHide(principal: Principal): readonly string[] {
    return principal.type === 'assistant' && principal.clientId === 'competitor'
      ? ['Row.listedAtCents', 'Hero.listedAtCents']
      : [];
  }
}
