import { randomUUID } from 'node:crypto';
import type { DealSetsError } from '../../../packages/client/src/index.js';
import { EPOCH, FeedWorld, insertSingle, latestOf } from '../feed/feed-world.js';
import { clientOf } from './client-of.js';
import { loadSpreadSingles } from './spread-singles.js';

const VIEWERS = ['session', 'assistant'] as const;

describe('the client at the service', () => {
  let world: FeedWorld;
  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 3, changesGranted: true });
    for (const { id: buyerId } of world.buyers) {
      await loadSpreadSingles(world.database, { buyerId, dealershipId: world.shop.id, count: 58 });
    }
    for (const who of world.buyers) await world.history(who, 2, 3);
  });
  afterAll(() => world.stop());

  it.each(VIEWERS)('lists what the service lists: %s', async (as) => {
    const credential = world.anna[as];
    const { body } = await world.service.get<{ data: unknown[] }>('/api/v1/deal-sets', credential);
    const listed = await clientOf(world.service.url, credential).list();
    expect(listed).toEqual({ entries: body.data, more: true, skipped: 0 });
    expect(listed.entries).toHaveLength(28);
  });

  it.each(VIEWERS)('gets a deal set, and null for what is not one: %s', async (as) => {
    const client = clientOf(world.service.url, world.anna[as]);
    const { entries } = await client.list();
    const dealSet = entries.find((entry) => entry.kind === 'deal_set')!;
    const single = entries.find((entry) => entry.kind === 'single')!;
    expect(await client.get(dealSet.dealSetId)).toMatchObject({ dealSetId: dealSet.dealSetId });
    for (const id of [single.id, randomUUID(), 'a/b?c', '%', 'é'])
      expect(await client.get(id)).toBeNull();
  });

  it.each(VIEWERS)('reads everything, page by page: %s', async (as) => {
    const all = await clientOf(world.service.url, world.anna[as]).readAll();
    const pages = await world.drain(EPOCH, world.anna, as);
    expect(pages.length).toBeGreaterThan(1);
    expect(all.entries).toHaveLength(63);
    expect(all.entries).toEqual([...latestOf(pages).values()]);
    expect(Date.parse(all.asOf)).toBeGreaterThan(Date.parse('2026-02-01'));
  });

  it('polls from where readAll ended, and finds a change once', async () => {
    const who = world.buyers[1]!;
    const client = clientOf(world.service.url, who.assistant);
    const { asOf } = await client.readAll();
    const [id, insert] = insertSingle(world, who, 3_000_000);
    await world.database.query(insert);
    const found: unknown[] = [];
    let polls = 0;
    for await (const { entries } of client.poll({ since: asOf, everyMs: 100 })) {
      found.push(...entries);
      // Long enough for the service to send it again, since `Service-As-Of` is a second behind.
      if (++polls === 20) break;
    }
    expect(found).toMatchObject([
      { id, lowestWrittenOtdCents: 3_000_000, changes: { hasWrittenPrice: true } },
    ]);
  });

  it('reports the service’s errors', async () => {
    const { url } = world.service;
    const unscoped = await world.service.tokenFor(world.anna.id, { scope: 'requests:submit' });
    await expect(clientOf(url, unscoped).list()).rejects.toMatchObject({
      code: 'insufficient_scope',
      status: 403,
    });
    await expect(clientOf(url, undefined).list()).rejects.toMatchObject({
      code: 'unauthenticated',
      status: 401,
    });
    const poll = clientOf(url, world.anna.session).poll({ since: 'yesterday' });
    const error = (await poll.next().catch((reason: unknown) => reason)) as DealSetsError;
    expect(error).toMatchObject({ name: 'DealSetsError', code: 'invalid_request', status: 400 });
    expect(error.requestId).toMatch(/\S/);
    expect(world.service.logLines.join('')).toContain(error.requestId);
  });
});
