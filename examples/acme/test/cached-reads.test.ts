import type { Provider } from '@nestjs/common';
import { DealSetReads, DealSetsService, DisplayTexts, LocaleResolver } from '@deal-sets/service';
import {
  dealSet,
  sampleWorld,
  signIn,
  startTestService,
  type TestService,
} from '@deal-sets/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { CachedReads } from '../src/cached-reads.js';
import { TextsOfTwoMarkets } from '../src/languages.js';

const world = sampleWorld();
const stranger = signIn(world.strangerId);
const session = { cookie: `__Host-session=${world.cookie}` };
const list = '/api/v1/deal-sets';
const since = `${list}?since=2026-01-01T00:00:00Z`;

const registry = new Registry();
let locale = 'en-US';
/** Returns the providers of a service whose cache keeps results for this time. */
const cachedFor = (lifetimeMs: number): Provider[] => [
  { provide: DisplayTexts, useClass: TextsOfTwoMarkets },
  { provide: LocaleResolver, useValue: { resolve: () => locale } },
  {
    provide: DealSetReads,
    useFactory: (reads: DealSetsService, locales: LocaleResolver) =>
      new CachedReads(reads, locales, registry, lifetimeMs),
    inject: [DealSetsService, LocaleResolver],
  },
];

const service = await start(600_000);
afterAll(() => service.stop(), 30_000);
beforeEach(() => registry.resetMetrics());

async function start(lifetimeMs: number): Promise<TestService> {
  registry.clear();
  return startTestService({
    hostOptions: { providers: cachedFor(lifetimeMs) },
    world: [...world.records, stranger.record],
  });
}

const get = async (path: string, headers: Record<string, string>, url = service.url) => {
  const response = await fetch(url + path, { headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
};
const assistant = async (clientId = world.clientId) => ({
  authorization: `Bearer ${await service.tokenFor(world.buyerId, { clientId })}`,
});

/** Returns how many look-ups since the beginning of the test were hits and misses. */
async function lookUps() {
  const { values } = (await registry.getSingleMetric('acme_cached_reads_total')?.get()) ?? {
    values: [],
  };
  const count = (result: string) =>
    values.find(({ labels }) => labels['result'] === result)?.value ?? 0;
  return { hits: count('hit'), misses: count('miss') };
}

it('sends the same body and headers again for a page of changes, and counts a hit', async () => {
  const first = await get(since, session);
  await service.load([dealSet({ buyerId: world.buyerId })]);
  const second = await get(since, session);
  expect(second.body).toBe(first.body);
  expect(second.headers.get('service-more')).toBe('false');
  expect(first.headers.get('service-as-of')).toMatch(/^\d{4}-/);
  expect(second.headers.get('service-as-of')).toBe(first.headers.get('service-as-of'));
  expect(await lookUps()).toEqual({ hits: 1, misses: 1 });
});

it('keeps one deal set, and each page of the list separately', async () => {
  const paths = [world.dealSetPath, list, `${list}?since=2026-01-02T00:00:00Z`];
  for (const path of [...paths, ...paths]) expect((await get(path, session)).status).toBe(200);
  expect(await lookUps()).toEqual({ hits: 3, misses: 3 });
});

it('never sends a result to another caller', async () => {
  // The session's result is in the cache, and contains words that are withheld from assistants.
  const own = await get(world.dealSetPath, session);
  expect(own.body).toContain('Redwood');
  registry.resetMetrics();
  for (const headers of [await assistant(), await assistant('hosted-1')]) {
    const { status, body } = await get(world.dealSetPath, headers);
    expect(status).toBe(200);
    for (const word of world.withheldWords) expect(body).not.toContain(word);
  }
  const other = { cookie: `__Host-session=${stranger.cookie}` };
  expect((await get(world.dealSetPath, other)).status).toBe(404);
  expect(JSON.parse((await get(list, other)).body)).toEqual({ data: [] });
  expect(await lookUps()).toEqual({ hits: 0, misses: 4 });
});

it('reads again after the buyer has changed the language', async () => {
  const english = await get(world.dealSetPath, session);
  locale = 'de-DE';
  const german = await get(world.dealSetPath, session);
  locale = 'en-US';
  expect(english.body).toContain('Price in writing');
  expect(german.body).toContain('Preis liegt schriftlich vor');
});

it('does not keep errors', async () => {
  const path = `${list}/unknown`;
  for (let call = 0; call < 2; call += 1) expect((await get(path, session)).status).toBe(404);
  expect(await lookUps()).toEqual({ hits: 0, misses: 2 });
});

it('reads again after the lifetime of a result', async () => {
  const shortLived = await start(0);
  try {
    for (let call = 0; call < 2; call += 1) await get(list, session, shortLived.url);
    expect(await lookUps()).toEqual({ hits: 0, misses: 2 });
  } finally {
    await shortLived.stop();
  }
}, 60_000);
