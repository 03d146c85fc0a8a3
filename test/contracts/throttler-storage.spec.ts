import { setTimeout as pause } from 'node:timers/promises';
import { ThrottlerStorageService } from '@nestjs/throttler';
import { RedisStorage } from '../../src/rate-limit/redis-storage.js';
import { rateLimitStorageContract } from '../../packages/testing/src/rate-limit-storage.contract.js';
import { describeWithRedis, RedisServer } from '../setup/redis-server.js';
import { runContractTogether } from './run-contract.js';

describe('counters of one process', () => {
  const storage = new ThrottlerStorageService();
  afterAll(() => storage.onApplicationShutdown());
  runContractTogether(rateLimitStorageContract({ storage: () => storage, hung: null }));
});

describeWithRedis('counters in Redis', () => {
  let server: RedisServer;
  let views: { one: RedisStorage; other: RedisStorage };

  beforeAll(async () => {
    server = await RedisServer.start();
    views = { one: new RedisStorage(server.url), other: new RedisStorage(server.url) };
    await Promise.all([views.one.onModuleInit(), views.other.onModuleInit()]);
  });

  afterAll(async () => {
    views.one.onApplicationShutdown();
    views.other.onApplicationShutdown();
    await server.stop();
  });

  runContractTogether(rateLimitStorageContract({ storage: (view) => views[view], hung: null }));

  it('waits for as many hits as the limit of the call requires', async () => {
    const hit = async (limit: number): Promise<number> =>
      (await views.one.increment('session 1', 60_000, limit)).timeToBlockExpire;
    await hit(2);
    await pause(1100);
    await hit(2);
    const untilBothExpire = await hit(1);
    expect(await hit(2)).toBeLessThan(untilBothExpire);
  });
});
