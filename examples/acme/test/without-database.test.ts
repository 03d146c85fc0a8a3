import { randomUUID } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  DealSetsApi,
  DealSetsModule,
  loadSettings,
  SessionStore,
  type ListResult,
  type StoredSession,
} from '@deal-sets/service';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { options } from '../src/options.js';

const COOKIE = 'a-session-of-this-test';

/** Signs one buyer in. */
class OneSession extends SessionStore {
  override find(cookieValue: string): Promise<StoredSession | null> {
    const session = {
      buyerId: randomUUID(),
      expiresAt: new Date(Date.now() + 3_600_000),
      revokedAt: null,
    };
    return Promise.resolve(cookieValue === COOKIE ? session : null);
  }
}

/** The list of a buyer without requests. */
const noRequests: Pick<DealSetsApi, 'list'> = {
  list: (): Promise<ListResult> =>
    Promise.resolve({ response: { data: [] }, hasMore: false, asOf: null }),
};

let app: INestApplication;
let url: string;

beforeAll(async () => {
  const settings = loadSettings({
    // Nothing listens there.
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
  });
  const module = await Test.createTestingModule({
    imports: [
      DealSetsModule.forRoot({ ...options({ websiteUrl: 'http://127.0.0.1:1' }), settings }),
    ],
  })
    .overrideProvider(SessionStore)
    .useClass(OneSession)
    .overrideProvider(DealSetsApi)
    .useValue(noRequests)
    .compile();
  app = module.createNestApplication(new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
}, 60_000);

afterAll(() => app.close());

const get = (path: string, cookie = COOKIE) =>
  fetch(url + path, { headers: { cookie: `__Host-session=${cookie}` } });

it('serves Acme’s endpoint to a signed-in buyer', async () => {
  expect((await get('/acme/brief', `${COOKIE}-of-nobody`)).status).toBe(401);
  const brief = await get('/acme/brief');
  expect([brief.status, await brief.json()]).toEqual([200, { text: '0 requests, no price yet.' }]);
});
