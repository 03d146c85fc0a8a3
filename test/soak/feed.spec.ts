import { provesFeed } from '../api/feed/feed-property.js';
import { explore } from '../feed-model/explore.js';
import { ALL_WORLDS } from '../feed-model/worlds.js';

const COMMITS = 5_000;

it(`sixteen writers and eight clients lose nothing in ${COMMITS} commits`, async () => {
  const seed = Date.now() % 1_000_000;
  const outcome = await provesFeed({
    commits: COMMITS,
    writers: 16,
    pollers: 8,
    longestPauseMs: 1_500,
    seed,
  });
  process.stdout.write(`feed soak: ${JSON.stringify({ seed, ...outcome })}\n`);
  expect(outcome.commits).toBeGreaterThanOrEqual(COMMITS);
}, 1_200_000);

it('the model of the feed has no skipped entry, stale row or Service-As-Of after the read for any three programs', () => {
  let total = 0;
  for (const world of ALL_WORLDS) {
    const { states, ...wrong } = explore(world);
    expect(wrong).toEqual({ skipped: 0, stale: 0, late: 0, stuck: 0 });
    total += states;
  }
  process.stdout.write(`feed model: ${ALL_WORLDS.length} worlds, ${total} states\n`);
  expect(ALL_WORLDS).toHaveLength(165);
}, 1_200_000);
