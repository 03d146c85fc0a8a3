import { checkFeedProperty } from '../api/feed/feed-property.js';
import { explore } from '../feed-model/explore.js';
import { ALL_WORLDS } from '../feed-model/worlds.js';

const COMMITS = 5_000;

it(`loses nothing of ${COMMITS} commits with sixteen writers and eight clients`, async () => {
  const seed = Date.now() % 1_000_000;
  const outcome = await checkFeedProperty({
    commits: COMMITS,
    writers: 16,
    pollers: 8,
    longestPauseMs: 1_500,
    seed,
  });
  process.stdout.write(`feed soak: ${JSON.stringify({ seed, ...outcome })}\n`);
  expect(outcome.commits).toBeGreaterThanOrEqual(COMMITS);
}, 1_200_000);

it('finds no skipped entry, stale row or Service-As-Of after the read in the model of any three programs', () => {
  let total = 0;
  for (const world of ALL_WORLDS) {
    const { states, ...wrong } = explore(world);
    expect(wrong).toEqual({ skipped: 0, stale: 0, late: 0, stuck: 0 });
    total += states;
  }
  process.stdout.write(`feed model: ${ALL_WORLDS.length} worlds, ${total} states\n`);
  expect(ALL_WORLDS).toHaveLength(165);
}, 1_200_000);
