import {
  dealership,
  grant,
  priceCheck,
  sampleWorld,
  startTestService,
  type TestService,
} from '@deal-sets/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateAcme, Score, withAcmeDatabase } from '../src/acme-database.js';
import { options } from '../src/options.js';
import { startSessionService } from './session-service.js';

const world = sampleWorld();
const website = await startSessionService();
let service: TestService;

/** Returns a request of another buyer, which no response to this buyer may count. */
function strangersRequest() {
  const dealer = dealership();
  return [dealer, priceCheck({ buyerId: world.strangerId, dealershipId: dealer.id })];
}

beforeAll(async () => {
  service = await startTestService({
    hostOptions: options({ websiteUrl: website.url }),
    world: [
      ...world.records.filter(({ record }) => record !== 'session'),
      grant({ buyerId: world.buyerId, clientId: 'competitor', scopes: ['notes:write'] }),
      ...strangersRequest(),
    ],
    prepare: migrateAcme,
    // The flags of OpenFeature replace this setting.
    settings: { ROLLOUT_NOTES: 'on' },
  });
  await withAcmeDatabase(service.databaseUrl, (database) =>
    database.getRepository(Score).insert({ priceCheckId: world.priceCheckId, score: 74 }),
  );
  website.locales.set(world.buyerId, 'de-DE');
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

interface ShownTexts {
  readonly headerLine: string | null;
  readonly ranked: readonly { readonly rows: readonly object[] }[];
}

/** Returns the header line and the first row of the deal set. */
async function textsFor(headers: Record<string, string>) {
  const response = await fetch(service.url + world.dealSetPath, { headers });
  const { data } = (await response.json()) as { data: ShownTexts };
  return { headerLine: data.headerLine, row: data.ranked[0]?.rows[0] };
}

it('shows a score to the buyer, and none to an assistant', async () => {
  expect((await textsFor({ cookie })).row).toMatchObject({ acmeScore: 74 });
  const authorization = `Bearer ${await service.tokenFor(world.buyerId)}`;
  expect((await textsFor({ authorization })).row).toMatchObject({ acmeScore: null });
});

it('composes the texts in the language of the buyer, also for an assistant', async () => {
  const authorization = `Bearer ${await service.tokenFor(world.buyerId)}`;
  expect(await textsFor({ cookie })).toMatchObject({
    headerLine: '1 schriftlicher Preis',
    row: { statusLabel: 'Preis liegt schriftlich vor' },
  });
  expect((await textsFor({ authorization })).row).toMatchObject({
    statusLabel: 'Preis liegt schriftlich vor',
  });
  website.locales.delete(world.buyerId);
  expect(await textsFor({ cookie })).toMatchObject({
    headerLine: '1 written price',
    row: { statusLabel: 'Price in writing' },
  });
  expect((await textsFor({ authorization })).row).toMatchObject({
    statusLabel: 'Price in writing',
  });
});

it('turns an endpoint off for one assistant, by a flag of OpenFeature', async () => {
  const token = await service.tokenFor(world.buyerId, {
    clientId: 'competitor',
    scopes: ['notes:write'],
  });
  const note = await keep({ authorization: `Bearer ${token}` }, { topic: 'car', words: 'small' });
  expect(note.status).toBe(404);
});

it('counts the answers of this buyer with a repository, for a session only', async () => {
  const get = (headers: Record<string, string>) =>
    fetch(`${service.url}/acme/answers`, { headers });
  const own = await get({ cookie });
  expect([own.status, await own.json()]).toEqual([200, { requested: 1, answered: 1 }]);
  const token = await service.tokenFor(world.buyerId);
  expect((await get({ authorization: `Bearer ${token}` })).status).toBe(403);
});

it('serves the requests at an additional endpoint', async () => {
  const token = await service.tokenFor(world.buyerId);
  const brief = await fetch(`${service.url}/acme/brief`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([brief.status, await brief.json()]).toEqual([200, { text: '1 requests, from $31000.' }]);
});
