import type { Type } from '@nestjs/common';
import { insert, smallWorld } from '../../builders/index.js';
import {
  NestCacheModule,
  NullCacheModule,
  RefreshingCacheModule,
  UrlCacheModule,
} from '../../setup/caching-modules.js';
import { LIST } from '../../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const world = smallWorld();
const HELLO = '/shop/hello';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await insert(database, world.records);
});
afterAll(() => database.drop());

async function withCache(
  cache: Type,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const hostOptions = { imports: [cache] };
  const env = { ROLLOUT_HELLO: 'on' };
  const service = await TestService.start({ database, hostOptions, env });
  await work(service).finally(() => service.stop());
}

describe('a host application with a cache for every route', () => {
  it('does not cache endpoints with the interceptor of @nestjs/cache-manager', () =>
    withCache(NestCacheModule, async (service) => {
      const assistant = await service.tokenFor(world.buyer.id);
      for (const path of [LIST, HELLO]) {
        const own = await service.send('GET', path, world.session);
        const seen = await service.get(path, assistant);
        expect([own.status, seen.status]).toEqual([200, 200]);
        expect(seen.headers).not.toHaveProperty('x-cache');
      }
      const own = await service.send('GET', LIST, world.session);
      expect((await service.send('GET', LIST, assistant)).text).not.toBe(own.text);
      // The host's own routes are cached.
      await service.call('/shop');
      expect((await service.call('/shop')).headers['x-cache']).toBe('HIT');
    }));

  it('sends 500 and logs an error in place of a result that was redacted for another request', () =>
    withCache(UrlCacheModule, async (service) => {
      const assistant = await service.tokenFor(world.buyer.id);
      for (const path of [LIST, HELLO]) {
        expect((await service.send('GET', path, world.session)).status).toBe(200);
        const rejection = await service.get(path, assistant);
        expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
        expect(rejection.headers).toMatchObject({
          'cache-control': 'private, no-store',
          'content-type': 'application/json; charset=utf-8',
        });
      }
      const lines = service.logLines.filter((line) => line.includes('response was not redacted'));
      expect(lines).toHaveLength(2);
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 'error' });
      // The host's own routes are cached, and unauthenticated callers are still rejected.
      expect((await service.call('/shop')).status).toBe(200);
      expect((await service.call('/shop')).status).toBe(200);
      expect((await service.call(LIST)).status).toBe(401);
    }));

  it.each([
    ['calls the handler and sends an earlier result', RefreshingCacheModule, 200],
    ['has stored null', NullCacheModule, 500],
  ])('sends 500 in place of the result of a cache that %s', async (_what, cache, first) => {
    await withCache(cache, async (service) => {
      const assistant = await service.tokenFor(world.buyer.id);
      for (const path of [LIST, HELLO]) {
        expect((await service.send('GET', path, world.session)).status).toBe(first);
        const rejection = await service.get(path, assistant);
        expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
      }
    });
  });

  it('responds to HEAD, which has no body, whatever a cache holds', () =>
    withCache(UrlCacheModule, async (service) => {
      const assistant = await service.tokenFor(world.buyer.id);
      expect((await service.send('GET', LIST, world.session)).status).toBe(200);
      const head = await service.send('HEAD', LIST, assistant);
      expect([head.status, head.text]).toEqual([200, '']);
    }));
});
