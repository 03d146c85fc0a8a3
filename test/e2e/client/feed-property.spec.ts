import { provesFeed } from '../feed/feed-property.js';
import { ClientFollower } from './client-follower.js';

describe('sixteen writers and eight pollers of the package’s client', () => {
  it('skip nothing in 300 commits', async () => {
    const outcome = await provesFeed({
      commits: 300,
      writers: 16,
      pollers: 8,
      longestPauseMs: 1_500,
      seed: 2,
      makeFollower: (options) => new ClientFollower(options),
    });
    expect(outcome.commits).toBeGreaterThanOrEqual(300);
    expect(outcome.rollbacks).toBeGreaterThan(5);
    expect(outcome.polls).toBeGreaterThan(50);
    expect(outcome.repeated).toBe(0);
  }, 150_000);
});
