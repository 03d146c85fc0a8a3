import { provesFeed } from './feed-property.js';

describe('sixteen writers and eight clients', () => {
  it('lose nothing in 500 commits', async () => {
    const outcome = await provesFeed({
      commits: 500,
      writers: 16,
      pollers: 8,
      longestPauseMs: 1_500,
      seed: 1,
    });
    expect(outcome.commits).toBeGreaterThanOrEqual(500);
    expect(outcome.rollbacks).toBeGreaterThan(10);
    expect(outcome.polls).toBeGreaterThan(100);
  }, 150_000);
});
