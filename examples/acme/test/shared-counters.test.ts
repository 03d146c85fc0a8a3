import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DealSetsModule, RateLimitStorage } from '@deal-sets/service';
import {
  rateLimitStorageContract,
  sampleWorld,
  startTestService,
  type TestService,
} from '@deal-sets/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedCounters } from '../src/shared-counters.js';
import { freePort } from './free-port.js';

const isInstalled = spawnSync('redis-server', ['--version']).status === 0;
const reason = isInstalled ? '' : ' (skipped: redis-server is not installed)';

/** Starts a Redis server that stores nothing on disk. */
async function startRedis() {
  const port = await freePort();
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const lines of server.stdout) {
    if (String(lines).includes('Ready to accept connections')) break;
  }
  const stop = async () => {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  };
  return { url: `redis://127.0.0.1:${port}`, stop };
}

describe.skipIf(!isInstalled)(`two instances that share counters in Redis${reason}`, () => {
  const world = sampleWorld();
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let first: TestService;
  let second: INestApplication;

  beforeAll(async () => {
    redis = await startRedis();
    const providers = [sharedCounters(redis.url)];
    first = await startTestService({
      hostOptions: { providers },
      world: world.records,
      settings: { READ_RATE_LIMIT: '3' },
    });
    const { settings } = first;
    second = await NestFactory.create(
      DealSetsModule.forRoot({ providers, settings }),
      new FastifyAdapter(),
      { logger: false },
    );
    await second.listen(0, '127.0.0.1');
  }, 60_000);

  afterAll(async () => {
    await second.close();
    await first.stop();
    await redis.stop();
  }, 30_000);

  it('admit as many requests together as the limit', async () => {
    const urls = [first.url, await second.getUrl()];
    const statuses: number[] = [];
    for (const url of [...urls, ...urls]) {
      const headers = { cookie: `__Host-session=${world.cookie}` };
      statuses.push((await fetch(`${url}/api/v1/deal-sets`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  const suite = rateLimitStorageContract({
    storage: (view) =>
      (view === 'first' ? first.app : second).get(RateLimitStorage, { strict: false }),
    hung: null,
  });
  for (const { name, run } of suite) it(name, run);
});
