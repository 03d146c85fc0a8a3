import type { RedactionRule } from '@deal-sets/service';

/** List prices are not shown to the assistants of a competitor, in fields or in texts. */
export const noListPrices: RedactionRule = {
  facts: ['listedAtCents'],
  from: (principal) => principal.type === 'assistant' && principal.clientId === 'competitor',
};
