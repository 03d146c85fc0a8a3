import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { checkFeedProperty } from '../../api/feed/feed-property.js';

/**
 * Tests one small world on each push; `FEED_WORLDS=<number>` tests that many, and `test/soak/feed`
 * a large one.
 */
const WORLDS = Number(process.env['FEED_WORLDS'] ?? 1);
const SEEDS = Array.from({ length: WORLDS }, (_, world) => PROPERTY_SEED + world);

describe('sixteen writers and eight clients', () => {
  it.each(SEEDS)(
    'lose nothing in 120 commits, and no snapshot of the read model differs from the domain (seed %d)',
    async (seed) => {
      const outcome = await checkFeedProperty({
        commits: 120,
        writers: 16,
        pollers: 8,
        longestPauseMs: 500,
        seed,
        atLeast: { polls: 31, compared: 9 },
      });
      expect(outcome.commits).toBeGreaterThanOrEqual(120);
      expect(outcome.rollbacks).toBeGreaterThan(2);
    },
  );
});
