import { setImmediate } from 'node:timers/promises';
import { hiddenDraft } from '../../test/builders/hidden-draft.js';
import { ItemMasking } from './item-masking.js';
import { maskItem } from './views/shown-words.js';

/** Drafts that take hundreds of milliseconds to mask. */
const MANY_LONG = Array.from({ length: 200 }, () =>
  hiddenDraft('The blue one is here, call us today. '.repeat(300)),
);

const waiting = new AbortController().signal;

describe('ItemMasking', () => {
  let masking: ItemMasking;
  beforeEach(() => {
    masking = new ItemMasking();
  });

  it('masks all items in their order', async () => {
    const items = ['a', 'b', 'c'].map((id) => hiddenDraft('At Lakeside Motors.', id));
    expect(await masking.mask(items, 'anna', waiting)).toEqual(items.map(maskItem));
    expect(await masking.mask([], 'anna', waiting)).toEqual([]);
    expect(await masking.mask(MANY_LONG, 'anna', waiting)).toHaveLength(MANY_LONG.length);
  });

  it('leaves the process time for other work', async () => {
    const done = new AbortController();
    const all = masking.mask(MANY_LONG, 'anna', waiting).finally(() => done.abort());
    let turns = 0;
    for (; !done.signal.aborted; turns += 1) await setImmediate();
    await all;
    expect(turns).toBeGreaterThan(10);
  });

  it('masks deal sets with many long texts one after the other, and a short one at once', async () => {
    const ready: string[] = [];
    await Promise.all([
      masking.mask(MANY_LONG, 'anna', waiting).then(() => ready.push('first')),
      masking.mask(MANY_LONG, 'anna', waiting).then(() => ready.push('second')),
      masking
        .mask([hiddenDraft('At Lakeside Motors.')], 'anna', waiting)
        .then(() => ready.push('short')),
      // If the two took turns, they would be ready in the same turns.
      masking.mask(MANY_LONG.slice(0, 50), 'anna', waiting).then(() => ready.push('third')),
    ]);
    expect(ready).toEqual(['short', 'first', 'second', 'third']);
  });

  it('does not keep a buyer waiting for several deal sets of another', async () => {
    const ready: string[] = [];
    await Promise.all([
      masking.mask(MANY_LONG, 'anna', waiting).then(() => ready.push('first of Anna')),
      masking.mask(MANY_LONG, 'anna', waiting).then(() => ready.push('second of Anna')),
      masking.mask(MANY_LONG.slice(0, 50), 'ben', waiting).then(() => ready.push('first of Ben')),
    ]);
    expect(ready).toEqual(['first of Anna', 'first of Ben', 'second of Anna']);
  });

  it('stops once the caller no longer waits, and continues with the next', async () => {
    const caller = new AbortController();
    const abandoned = masking.mask(MANY_LONG, 'anna', caller.signal);
    const next = masking.mask(MANY_LONG.slice(0, 50), 'anna', waiting);
    const reason = new Error('the caller has left');
    caller.abort(reason);
    await expect(abandoned).rejects.toBe(reason);
    expect(await next).toHaveLength(50);
  });
});
