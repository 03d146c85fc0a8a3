import type { RedactionRule } from '@deal-sets/service';

/** Hides list prices from a competitor's assistant, in fields and in texts. */
export const noListPrices: RedactionRule = {
  facts: ['listedAtCents'],
  from: (principal) => principal.type === 'assistant' && principal.clientId === 'competitor',
};
