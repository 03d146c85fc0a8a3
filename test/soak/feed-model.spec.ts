import { explore } from '../feed-model/explore.js';
import { ALL_WORLDS } from '../feed-model/worlds.js';

/** A world takes seconds to minutes; a synchronous test cannot be ended at its limit. */
describe('every order of the steps of any three programs and a client', () => {
  let total = 0;

  afterAll(() => {
    process.stdout.write(`feed model: ${total} states\n`);
  });

  it('has 165 combinations', () => {
    expect(ALL_WORLDS).toHaveLength(165);
  });

  it.each(ALL_WORLDS.map((world) => [world.map(({ name }) => name).join(' | '), world] as const))(
    'skips no entry, leaves no stale row, and never returns a time after the read: %s',
    (_name, world) => {
      const { states, ...wrong } = explore(world);
      expect(wrong).toEqual({ skipped: 0, stale: 0, late: 0, stuck: 0 });
      expect(states).toBeGreaterThan(1_000);
      total += states;
    },
  );
});
