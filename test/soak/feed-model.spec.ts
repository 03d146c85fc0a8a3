import { explore } from '../feed-model/explore.js';
import { allWorlds } from '../feed-model/programs.js';

it('the model of the feed has neither skipped entry nor stale row for any three programs', () => {
  const total = { worlds: 0, states: 0 };
  for (const world of allWorlds()) {
    const { states, ...wrong } = explore(world);
    expect(wrong).toEqual({ skipped: 0, stale: 0, stuck: 0 });
    total.worlds += 1;
    total.states += states;
  }
  process.stdout.write(`feed model: ${JSON.stringify(total)}\n`);
  expect(total.worlds).toBe(165);
}, 1_200_000);
