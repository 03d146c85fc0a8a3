import { LargeResults } from './large-results.js';

describe('large results', () => {
  it('are made one in a turn of the event loop, in order', async () => {
    const results = new LargeResults();
    let turn = 0;
    let isDone = false;
    const count = (): void => {
      turn += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const turns = await Promise.all([1, 2, 3].map(() => results.turn().then(() => turn)));
    isDone = true;
    expect(new Set(turns).size).toBe(3);
    expect(turns).toEqual(turns.toSorted((a, b) => a - b));
  });
});
