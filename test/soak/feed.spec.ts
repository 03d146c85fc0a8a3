import { checkFeedProperty } from '../api/feed/feed-property.js';

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
