import { setImmediate } from 'node:timers/promises';
import type { DraftFacts } from '../domain/facts.js';
import { maskItem, maskItems, shownDraft } from './shown-words.js';

const draft: DraftFacts = {
  kind: 'draft',
  id: 'd-1',
  priceCheckId: 'p-1',
  words: 'Lakeside Motors can hold it.',
  hasMore: false,
  hiddenNameKeys: ['lakesidemotors'],
};

/** Drafts that take hundreds of milliseconds to mask. */
const MANY_LONG = Array.from({ length: 200 }, () => ({
  ...draft,
  words: 'The blue one is here, call us today. '.repeat(300),
}));

const never = new AbortController().signal;

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

describe('many long drafts', () => {
  it('are masked in their order', async () => {
    const items = ['a', 'b', 'c'].map((id) => ({ ...draft, id }));
    const masked = await maskItems(items, never);
    expect(masked).toEqual(items.map(maskItem));
  });

  it('leave the process time for other work', async () => {
    const done = new AbortController();
    const masking = maskItems(MANY_LONG, never).finally(() => done.abort());
    let turns = 0;
    for (; !done.signal.aborted; turns += 1) await setImmediate();
    await masking;
    expect(turns).toBeGreaterThan(10);
  });

  it('are not masked further once the caller no longer waits', async () => {
    const caller = new AbortController();
    const masking = maskItems(MANY_LONG, caller.signal);
    const reason = new Error('the caller has left');
    caller.abort(reason);
    await expect(masking).rejects.toBe(reason);
  });
});
