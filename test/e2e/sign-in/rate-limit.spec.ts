import { setTimeout as pause } from 'node:timers/promises';
import { buyer, grant, load, signIn } from '../../builders/index.js';
import { bearer, cookie, LIST, type CallOptions } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { describeWithRedis, RedisServer } from '../../setup/redis-server.js';
import { createWorld, signInSuite, type SignInWorld } from './world.js';

describe('the rate limit', () => {
  const suite = signInSuite();

  /** A fresh buyer: by her session and by her assistant. */
  async function fresh(): Promise<{
    session: CallOptions;
    assistant: CallOptions;
    buyerId: string;
  }> {
    const anna = buyer();
    const { record, cookie: value } = signIn(anna.id);
    await load(suite.world.database, [anna, record, grant({ buyerId: anna.id })]);
    return {
      buyerId: anna.id,
      session: cookie(value),
      assistant: bearer(await suite.world.issuer.token(anna.id)),
    };
  }

  /** Statuses of calls, thirty at a time: sign-in sheds more than a slow machine can take, before it counts. */
  async function statuses(count: number, options: CallOptions, path = LIST): Promise<number[]> {
    const answered: number[] = [];
    let sent = 0;
    const caller = async (): Promise<void> => {
      while (sent++ < count) answered.push((await suite.app.call(path, options)).status);
    };
    await Promise.all(Array.from({ length: 30 }, caller));
    return answered;
  }

  it('lets 120 requests pass and refuses the 121st, truthfully', async () => {
    const { session } = await fresh();
    expect(new Set(await statuses(120, session))).toEqual(new Set([200]));
    const refused = await suite.app.call(LIST, session);
    expect([refused.status, refused.code]).toEqual([429, 'rate_limited']);
    expect(String(refused.headers['retry-after'])).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(refused.text).not.toContain('data');
    expect(Object.keys(refused.headers).filter((name) => /ratelimit/i.test(name))).toEqual([]);
  });

  it('says nothing of limits on answers that pass', async () => {
    const { session } = await fresh();
    const { headers } = await suite.app.call(LIST, session);
    expect(Object.keys(headers).filter((name) => /ratelimit|retry/i.test(name))).toEqual([]);
  });

  it('counts exactly in a parallel burst', async () => {
    const { assistant } = await fresh();
    const answered = await statuses(300, assistant);
    expect(answered.filter((status) => status === 200)).toHaveLength(120);
    expect(answered.filter((status) => status === 429)).toHaveLength(180);
  });

  it('is one for the list, the get and HEAD, for every status', async () => {
    const { session } = await fresh();
    expect(new Set(await statuses(40, session))).toEqual(new Set([200]));
    expect(new Set(await statuses(30, session, suite.world.getPath))).toEqual(new Set([404]));
    expect(new Set(await statuses(30, session, `${LIST}?since=yesterday`))).toEqual(new Set([400]));
    expect(new Set(await statuses(20, { ...session, method: 'HEAD' }))).toEqual(new Set([200]));
    expect((await suite.app.call(LIST, session)).status).toBe(429);
    expect((await suite.app.call(suite.world.getPath, session)).status).toBe(429);
    expect((await suite.app.call(LIST, { ...session, method: 'HEAD' })).status).toBe(429);
  });

  it('is one for all sessions of a buyer, another for each assistant, and not another buyer’s', async () => {
    const { session, assistant, buyerId } = await fresh();
    const { record, cookie: second } = signIn(buyerId);
    await load(suite.world.database, [record, grant({ buyerId, clientId: 'assistant-2' })]);
    await statuses(120, session);
    expect((await suite.app.call(LIST, cookie(second))).status).toBe(429);
    expect((await suite.app.call(LIST, assistant)).status).toBe(200);
    await statuses(119, assistant);
    expect((await suite.app.call(LIST, assistant)).status).toBe(429);
    const renewed = await suite.world.issuer.token(buyerId.toUpperCase());
    expect((await suite.app.call(LIST, bearer(renewed))).status).toBe(429);
    const other = await suite.world.issuer.token(buyerId, { claims: { client_id: 'assistant-2' } });
    expect((await suite.app.call(LIST, bearer(other))).status).toBe(200);
    expect((await suite.app.call(LIST, (await fresh()).session)).status).toBe(200);
  });

  it('does not touch health', async () => {
    const answered = await statuses(150, {}, '/health/live');
    expect(new Set(answered)).toEqual(new Set([200]));
  });

  it('always admits a client that obeys Retry-After, and one that hammers no sooner', async () => {
    const quick = await suite.world.start({ READ_RATE_LIMIT: '3', READ_RATE_WINDOW_SECONDS: '2' });
    const { session } = await fresh();
    for (let round = 0; round < 4; round += 1) {
      let answer = await quick.call(LIST, session);
      while (answer.status === 200) answer = await quick.call(LIST, session);
      await quick.call(LIST, session);
      await pause(Number(answer.headers['retry-after']) * 1000);
      expect((await quick.call(LIST, session)).status).toBe(200);
    }
    await quick.stop();
  });
});

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
