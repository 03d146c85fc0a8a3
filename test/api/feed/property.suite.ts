import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { checkFeedProperty } from './feed-property.js';

/**
 * Tests one world on each push and prints its seed; `FEED_WORLDS=<number>` tests that many worlds.
 */
const WORLDS = Number(process.env['FEED_WORLDS'] ?? 1);
const SEEDS = Array.from({ length: WORLDS }, (_, world) => PROPERTY_SEED + world);

describe('sixteen writers and eight clients', () => {
  it.each(SEEDS)(
    'lose nothing in 200 commits, and no snapshot of the read model differs from the domain (seed %d)',
    async (seed) => {
      const outcome = await checkFeedProperty({
        commits: 200,
        writers: 16,
        pollers: 8,
        longestPauseMs: 500,
        seed,
      });
      expect(outcome.commits).toBeGreaterThanOrEqual(200);
      expect(outcome.rollbacks).toBeGreaterThan(5);
      expect(outcome.polls).toBeGreaterThan(50);
      expect(outcome.compared).toBeGreaterThan(15);
    },
  );
});
