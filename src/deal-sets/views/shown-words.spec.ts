import { hiddenDraft } from '../../../test/builders/hidden-draft.js';
import type { DraftFacts } from '../domain/facts.js';
import { maskItem, shownDraft } from './shown-words.js';

const draft = hiddenDraft('Lakeside Motors can hold it.');

describe('a draft', () => {
  it('is masked while its dealership is hidden, and is then not complete', () => {
    const masked = maskItem(draft) as DraftFacts;
    expect(shownDraft(masked)).toEqual({ text: '••• can hold it.', isComplete: false });
    expect(maskItem(masked)).toBe(masked);
  });

  it('is complete if nothing was masked', () => {
    const plain = maskItem({ ...draft, words: 'We can hold it.' }) as DraftFacts;
    expect(shownDraft(plain)).toEqual({ text: 'We can hold it.', isComplete: true });
  });

  it('is shown as it is once its dealership is seen', () => {
    const seen = { ...draft, hiddenNameKeys: null };
    expect(shownDraft(maskItem(seen) as DraftFacts)).toEqual({
      text: draft.words,
      isComplete: true,
    });
  });

  it('is null, and not complete, for a caller who may not read words', () => {
    expect(shownDraft({ ...draft, words: null })).toEqual({ text: null, isComplete: false });
  });
});
