import { setTimeout as pause } from 'node:timers/promises';
import { cookie, LIST } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { describeWithRedis, RedisServer } from '../../setup/redis-server.js';
import { createWorld, type SignInWorld } from '../sign-in/world.js';

describeWithRedis('the rate limit over Redis', () => {
  let world: SignInWorld;
  let redis: RedisServer;
  let app: TestService;

  beforeEach(async () => {
    world = await createWorld();
    redis = await RedisServer.start();
    app = await world.start({ REDIS_URL: redis.url, READ_RATE_LIMIT: '5' });
  });

  afterEach(async () => {
    await app.stop();
    await redis.stop();
    await world.close();
  });

  async function statuses(count: number): Promise<number[]> {
    const answered = [];
    for (let request = 0; request < count; request += 1) {
      const startedAt = performance.now();
      const { status } = await app.call(LIST, cookie(world.cookie));
      answered.push({ status, tookMs: performance.now() - startedAt });
    }
    for (const { tookMs } of answered) expect(tookMs).toBeLessThan(1000);
    return answered.map(({ status }) => status);
  }

  const FIVE_PASS = [200, 200, 200, 200, 200, 429];

  it('is shared by two instances', async () => {
    const other = await world.start({ REDIS_URL: redis.url, READ_RATE_LIMIT: '5' });
    expect(await statuses(3)).toEqual([200, 200, 200]);
    const answered = [];
    for (let request = 0; request < 3; request += 1) {
      answered.push((await other.call(LIST, cookie(world.cookie))).status);
    }
    expect(answered).toEqual([200, 200, 429]);
    await other.stop();
  });

  it('goes on in the process when Redis is stopped, and is shared again when it is back', async () => {
    expect(await statuses(2)).toEqual([200, 200]);
    await redis.stop();
    expect(await statuses(6)).toEqual(FIVE_PASS);
    await redis.run();
    // Back in Redis, which has forgotten: the buyer is admitted, where the process would refuse.
    const until = Date.now() + 10_000;
    while (Date.now() < until && (await statuses(1))[0] !== 200) await pause(200);
    expect(await statuses(5)).toEqual([200, 200, 200, 200, 429]);
  });

  it('goes on in the process when Redis hangs, and is shared again when it answers', async () => {
    expect(await statuses(2)).toEqual([200, 200]);
    redis.freeze();
    expect(await statuses(6)).toEqual(FIVE_PASS);
    redis.thaw();
    const until = Date.now() + 10_000;
    while (Date.now() < until && (await statuses(1))[0] !== 200) await pause(200);
    expect(Date.now()).toBeLessThan(until);
  });

  it('goes on in the process when Redis is full', async () => {
    await redis.stop();
    await redis.run('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    await pause(1500);
    expect(await statuses(6)).toEqual(FIVE_PASS);
  });

  it('starts while Redis is out of reach', async () => {
    await redis.stop();
    const startedAt = performance.now();
    const late = await world.start({ REDIS_URL: redis.url });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await late.call(LIST, cookie(world.cookie))).status).toBe(200);
    await late.stop();
  });
});
