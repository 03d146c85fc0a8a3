import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadSettings } from '@deal-sets/service';
import { sampleWorld, startTestService, type TestService } from '@deal-sets/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SignInOnlyModule } from '../src/sign-in-only.js';

const DEADLINE_MS = 1_500;
const NOTE = { topic: 'trade-in', words: 'Ask about the old Civic.' };

const world = sampleWorld();
const session = { cookie: `__Host-session=${world.cookie}` };
/** Provides the database and the issuer. */
let service: TestService;
let app: INestApplication;
let url: string;

beforeAll(async () => {
  service = await startTestService({ world: world.records });
  const { issuer, audiences, jwksUrl } = service.settings.issuer ?? {};
  const environment = {
    DEAL_SETS_DATABASE_URL: service.databaseUrl,
    DEAL_SETS_AUTH_ISSUER: issuer,
    DEAL_SETS_AUTH_AUDIENCE: audiences?.join(','),
    DEAL_SETS_AUTH_JWKS_URL: jwksUrl,
    DEAL_SETS_REQUEST_DEADLINE_MS: String(DEADLINE_MS),
  };
  const settings = loadSettings(environment, { prefix: 'DEAL_SETS_' });
  app = await NestFactory.create(SignInOnlyModule.register(settings));
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
}, 60_000);

afterAll(async () => {
  await app.close();
  await service.stop();
}, 30_000);

const add = (headers: Readonly<Record<string, string>>) =>
  fetch(`${url}/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(NOTE),
  });

it('signs callers in and redacts results without the deal sets', async () => {
  const assistant = { authorization: `Bearer ${await service.tokenFor(world.buyerId)}` };
  const added = await add(session);
  expect([added.status, await added.json()]).toEqual([201, NOTE]);
  // The buyer approved this assistant only for reading.
  expect((await add(assistant)).status).toBe(403);
  const seen = await fetch(`${url}/notes/newest`, { headers: assistant });
  expect([seen.status, await seen.json()]).toEqual([200, { ...NOTE, words: null }]);
  expect((await fetch(`${url}/notes/newest`)).status).toBe(401);
  expect((await fetch(`${url}/api/v1/deal-sets`, { headers: session })).status).toBe(404);
});

it('responds at the deadline while the database does not', async () => {
  await app.get(DataSource).transaction(async (lock) => {
    await lock.query('LOCK TABLE shop_note IN ACCESS EXCLUSIVE MODE');
    const response = await fetch(`${url}/notes/newest`, {
      headers: session,
      signal: AbortSignal.timeout(10 * DEADLINE_MS),
    });
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { code: 'unavailable' } },
    ]);
  });
  expect((await fetch(`${url}/notes/newest`, { headers: session })).status).toBe(200);
}, 30_000);
