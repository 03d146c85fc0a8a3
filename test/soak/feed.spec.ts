import { checkFeedProperty } from '../api/feed/feed-property.js';
import { PROPERTY_SEED } from '../setup/property-seed.js';

const COMMITS = 5_000;

it(`loses nothing of ${COMMITS} commits with sixteen writers and eight clients`, async () => {
  const outcome = await checkFeedProperty({
    commits: COMMITS,
    writers: 16,
    pollers: 8,
    longestPauseMs: 1_500,
    seed: PROPERTY_SEED,
  });
  process.stdout.write(`feed soak: ${JSON.stringify({ seed: PROPERTY_SEED, ...outcome })}\n`);
  expect(outcome.commits).toBeGreaterThanOrEqual(COMMITS);
}, 1_200_000);
