import type { DraftFacts } from '../../src/deal-sets/domain/facts.js';

/** Facts of a whole draft of Lakeside Motors, which is still hidden from the buyer. */
export const hiddenDraft = (words: string, id = 'd-1'): DraftFacts => ({
  kind: 'draft',
  id,
  priceCheckId: 'p-1',
  words,
  hasMore: false,
  hiddenNameKeys: ['lakesidemotors'],
});
