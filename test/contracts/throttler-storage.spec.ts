import { RedisStorage } from '../../src/rate-limit/redis-storage.js';
import { SlidingLogStorage } from '../../src/rate-limit/sliding-log-storage.js';
import { rateLimitStorageContract } from '../../src/testing/rate-limit-storage.contract.js';
import { describeWithRedis, RedisServer } from '../setup/redis-server.js';
import { runContractTogether } from './run-contract.js';

describe('counters of one process', () => {
  const storage = new SlidingLogStorage();
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
});
