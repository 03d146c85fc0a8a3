import { randomUUID } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  AppError,
  DealSetReads,
  DealSetsModule,
  loadSettings,
  callerOf,
  SessionStore,
  type DealSetRead,
  type ListRead,
  type Principal,
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

/** Reads of a buyer without requests. */
class NoDealSets extends DealSetReads {
  override list(principal: Principal): Promise<ListRead> {
    return Promise.resolve({
      readFor: callerOf(principal),
      response: { data: [] },
      hasMore: false,
      asOf: null,
    });
  }

  override get(): Promise<DealSetRead> {
    return Promise.reject(new AppError('not_found'));
  }
}

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
    .overrideProvider(DealSetReads)
    .useClass(NoDealSets)
    .compile();
  app = module.createNestApplication(new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
}, 60_000);

afterAll(() => app.close());

const get = (path: string, cookie = COOKIE) =>
  fetch(url + path, { headers: { cookie: `__Host-session=${cookie}` } });

it('serves the two reads from the replaced ports', async () => {
  const list = await get('/api/v1/deal-sets');
  expect([list.status, await list.json()]).toEqual([200, { data: [] }]);
  expect((await get(`/api/v1/deal-sets/${randomUUID()}`)).status).toBe(404);
  expect((await get('/api/v1/deal-sets', `${COOKIE}-of-nobody`)).status).toBe(401);
});

it('serves Acme’s endpoint on the replaced reads', async () => {
  const brief = await get('/acme/brief');
  expect([brief.status, await brief.json()]).toEqual([200, { text: '0 requests, no price yet.' }]);
});
