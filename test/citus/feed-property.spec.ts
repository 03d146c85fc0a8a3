import { provesFeed } from '../api/feed/feed-property.js';
import type { TestDatabase } from '../setup/test-database.js';
import { CitusCluster } from './citus-cluster.js';

const HALF = 1_000;

describe('the feed of a distributed database', () => {
  let cluster: CitusCluster;
  let database: TestDatabase;

  beforeAll(async () => {
    cluster = await CitusCluster.start();
    database = await cluster.distribute();
  });
  afterAll(async () => {
    await database.drop();
    cluster.stop();
  });

  const prove = (seed: number, meanwhile?: () => Promise<void>) =>
    provesFeed({
      database,
      commits: HALF,
      writers: 12,
      pollers: 6,
      buyers: 6,
      longestPauseMs: 200,
      seed,
      isDistributed: true,
      ...(meanwhile && { meanwhile }),
    });

  it(`loses nothing in ${HALF} commits`, async () => {
    const outcome = await prove(1);
    process.stdout.write(`citus feed: ${JSON.stringify(outcome)}\n`);
    expect(outcome.commits).toBeGreaterThanOrEqual(HALF);
  }, 600_000);

  it(`loses nothing in ${HALF} commits beside shards that move`, async () => {
    let moves = 0;
    const outcome = await prove(2, async () => {
      const until = Date.now() + 20_000;
      while (Date.now() < until) {
        await cluster.moveShardOfABuyer();
        moves += 1;
      }
    });
    process.stdout.write(`citus feed, moving: ${JSON.stringify({ moves, ...outcome })}\n`);
    expect(outcome.commits).toBeGreaterThanOrEqual(HALF);
    expect(moves).toBeGreaterThan(2);
    expect(cluster.crashes()).toEqual([]);
  }, 600_000);
});
