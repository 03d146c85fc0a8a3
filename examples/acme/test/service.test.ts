import { SpanStatusCode } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { sampleWorld, startTestService, type TestService } from '@deal-sets/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateAcme, Score, withAcmeDatabase } from '../src/acme-database.js';
import { options } from '../src/options.js';
import { startSessionService } from './session-service.js';

const world = sampleWorld();
const website = await startSessionService();
const spans = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    hostOptions: options(website.url),
    world: world.records.filter(({ record }) => record !== 'session'),
    prepare: migrateAcme,
    settings: { ROLLOUT_NOTES: 'on', ROLLOUT_BRIEF: 'on' },
  });
  website.sessions.set(world.cookie, {
    buyerId: world.buyerId,
    expiresAt: new Date(Date.now() + 3_600_000),
  });
}, 60_000);

afterAll(async () => {
  await service.stop();
  website.stop();
}, 30_000);

const cookie = `__Host-session=${world.cookie}`;
const keep = (headers: Record<string, string>, note: object) =>
  fetch(`${service.url}/acme/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(note),
  });

it('signs the buyer in with a session of the website', async () => {
  const path = `${service.url}/api/v1/deal-sets/${world.dealSetId}`;
  expect((await fetch(path, { headers: { cookie } })).status).toBe(200);
  expect((await fetch(path, { headers: { cookie: `${cookie}x` } })).status).toBe(401);
});

it('keeps a note, whose words an assistant does not see', async () => {
  const own = await keep({ cookie }, { topic: 'price', words: 'too much' });
  expect(own.status).toBe(201);
  expect(await own.json()).toEqual({
    data: { buyerId: world.buyerId, topic: 'price', words: 'too much' },
  });
  expect((await keep({ cookie }, { topic: 'weather', words: '' })).status).toBe(400);
  const token = await service.tokenFor(world.buyerId, { scopes: ['notes:write'] });
  // The buyer approved this assistant only for reading.
  expect((await keep({ authorization: `Bearer ${token}` }, {})).status).toBe(403);
});

it('limits notes at a separate rate', async () => {
  const statuses = new Set<number>();
  for (let call = 0; call < 31; call += 1) {
    statuses.add((await keep({ cookie }, { topic: 'car', words: 'again' })).status);
  }
  expect(statuses).toEqual(new Set([201, 429]));
  expect((await fetch(`${service.url}/api/v1/deal-sets`, { headers: { cookie } })).status).toBe(
    200,
  );
});

it('shows its score and its texts to the buyer, and no score to an assistant', async () => {
  const path = `${service.url}/api/v1/deal-sets/${world.dealSetId}`;
  const row = async (headers: Record<string, string>) => {
    const body = await (await fetch(path, { headers })).json();
    return (body as { data: { ranked: { rows: object[] }[] } }).data.ranked[0]?.rows[0];
  };
  await withAcmeDatabase(service.databaseUrl, (database) =>
    database.getRepository(Score).insert({ priceCheckId: world.priceCheckId, score: 7 }),
  );
  expect(await row({ cookie })).toMatchObject({ acmeScore: 7, statusLabel: 'Preis liegt vor' });
  const token = await service.tokenFor(world.buyerId);
  expect(await row({ authorization: `Bearer ${token}` })).toMatchObject({ acmeScore: null });
});

it('serves the requests at an additional endpoint', async () => {
  const token = await service.tokenFor(world.buyerId);
  const brief = await fetch(`${service.url}/acme/brief`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([brief.status, await brief.json()]).toEqual([200, { text: '1 requests, from $31000.' }]);
});

it('records a span for each read, also for one that fails', async () => {
  const list = `${service.url}/api/v1/deal-sets`;
  const authorization = `Bearer ${await service.tokenFor(world.buyerId)}`;
  spans.reset();
  expect((await fetch(list, { headers: { cookie } })).status).toBe(200);
  const path = `${list}/${world.dealSetId}`;
  expect((await fetch(path, { headers: { authorization } })).status).toBe(200);
  expect((await fetch(`${list}/unknown`, { headers: { authorization } })).status).toBe(404);
  expect(
    spans
      .getFinishedSpans()
      .map(({ name, attributes, status }) => [
        name,
        attributes['acme.principal_type'],
        status.code,
      ]),
  ).toEqual([
    ['list deal sets', 'session', SpanStatusCode.UNSET],
    ['get deal set', 'assistant', SpanStatusCode.UNSET],
    ['get deal set', 'assistant', SpanStatusCode.ERROR],
  ]);
});
