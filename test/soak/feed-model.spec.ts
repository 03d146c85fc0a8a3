import { expectNoErrorIn, titled } from '../feed-model/every-order.js';
import { ALL_WORLDS } from '../feed-model/worlds.js';

// Each world is a test of its own, because Jest cannot end a synchronous test at its limit.
describe('every order of the steps of any three programs and a client', () => {
  let total = 0;

  afterAll(() => {
    process.stdout.write(`feed model: ${total} states\n`);
  });

  it('has 120 combinations', () => {
    expect(ALL_WORLDS).toHaveLength(120);
  });

  it.each(titled(ALL_WORLDS))(
    'skips no entry, leaves no stale row, and never returns a time after the read: %s',
    (_title, world) => {
      total += expectNoErrorIn(world);
    },
  );
});
