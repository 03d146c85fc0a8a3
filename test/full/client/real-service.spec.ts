import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DealSetsClient,
  type DealSetsClientOptions,
  type DealSetsError,
} from '../../../packages/client/src/index.js';
import { load, priceCheck } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { portOf, proxiedUrl, TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import type { Credential } from '../../setup/test-service.js';
import {
  EPOCH,
  FeedWorld,
  insertReply,
  insertSingle,
  latestOf,
  setPrice,
} from '../../setup/feed-world.js';

const CALLERS = ['session', 'assistant'] as const;
const SINGLES = 120;

let database: TestDatabase;
let world: FeedWorld;
/** The proxies between the client and the service, and between the service and its database. */
let proxy: TcpProxy;
let toDatabase: TcpProxy;
/** Ids of the single requests of the first buyer. */
let singles: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  toDatabase = await TcpProxy.start(portOf(database.url));
  const env = { DATABASE_URL: proxiedUrl(toDatabase, database.url) };
  world = await FeedWorld.start({ database, env, buyers: 2, changesGranted: true });
  proxy = await TcpProxy.start(world.service.port);
  for (const reader of world.buyers) {
    // A minute apart, so that the feed returns them in pages.
    const records = Array.from({ length: SINGLES }, (_, minute) =>
      priceCheck({
        buyerId: reader.id,
        dealershipId: world.dealership.id,
        latestActivityAt: new Date(Date.UTC(2026, 1, 2, 0, minute)).toISOString(),
      }),
    );
    if (reader === world.buyer) singles = records.map(({ id }) => id);
    await load(database, records, { isBackfill: true });
    await world.loadHistory(reader, 0, 3);
  }
});
afterAll(async () => {
  await proxy.stop();
  await world.stop();
  await toDatabase.stop();
  await database.drop();
});

/**
 * A client that signs in with the credential. Node's `fetch` has no cookie jar, so the cookies are
 * added.
 */
function clientOf(
  credential: Credential,
  options: Partial<DealSetsClientOptions> = {},
): DealSetsClient {
  const baseUrl = world.service.url;
  if (credential === undefined) return new DealSetsClient({ baseUrl, ...options });
  if ('token' in credential) {
    return new DealSetsClient({ baseUrl, accessToken: () => credential.token, ...options });
  }
  const cookie = `__Host-session=${credential.cookie}`;
  return new DealSetsClient({
    baseUrl,
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), cookie } }),
    ...options,
  });
}

describe('the client at the service', () => {
  it.each(CALLERS)('lists what the service lists: %s', async (as) => {
    const { body } = await world.service.get<{ data: unknown[] }>(LIST, world.buyer[as]);
    const listed = await clientOf(world.buyer[as]).list();
    expect(listed).toEqual({ entries: body.data, more: true, skipped: 0 });
    expect(listed.entries).toHaveLength(28);
  });

  it.each(CALLERS)('returns a deal set, and null for an id that is not one: %s', async (as) => {
    const client = clientOf(world.buyer[as]);
    const { entries } = await client.list();
    const dealSet = entries.find((entry) => entry.kind === 'deal_set')!;
    expect(await client.get(dealSet.dealSetId)).toMatchObject({ dealSetId: dealSet.dealSetId });
    for (const id of [singles[0]!, randomUUID(), 'a/b?c', '%', 'é'])
      expect(await client.get(id)).toBeNull();
  });

  it.each(CALLERS)('reads everything, page by page: %s', async (as) => {
    const all = await clientOf(world.buyer[as]).readAll();
    const pages = await world.drain(EPOCH, world.buyer, as);
    expect(pages.length).toBeGreaterThan(1);
    expect(all.entries).toHaveLength(SINGLES + 3);
    expect(all.entries).toEqual([...latestOf(pages).values()]);
    expect(Date.parse(all.asOf)).toBeGreaterThan(Date.parse('2026-02-01'));
  });

  it('polls from where readAll ended, and finds a change once', async () => {
    const reader = world.buyers[1]!;
    const client = clientOf(reader.assistant);
    const { asOf } = await client.readAll();
    const [id, insert] = insertSingle(world, reader, 3_000_000);
    await database.query(insert);
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

  it('returns a reply once it can be looked up', async () => {
    const reader = world.buyers[1]!;
    const client = clientOf(reader.assistant);
    const { asOf, entries } = await client.readAll();
    const { id } = entries.find((entry) => entry.kind === 'single')!;
    await database.query(insertReply(reader.id, id));
    // Older than the margin by which `Service-As-Of` is behind the clock.
    await sleep(1_050);
    const locker = await world.writer();
    await locker.query('BEGIN; LOCK TABLE deal_sets.reply IN ACCESS EXCLUSIVE MODE');
    const notes: unknown[] = [];
    for await (const batch of client.poll({ since: asOf, everyMs: 100 })) {
      notes.push(...batch.entries.map((entry) => entry.changes?.newReplies.status));
      await locker.query('ROLLBACK');
      if (notes.includes('new')) break;
    }
    expect(notes).toEqual(['could_not_check', 'new']);
  });

  it('reports the service’s errors', async () => {
    const unscoped = await world.service.tokenFor(world.buyer.id, { scope: 'requests:submit' });
    await expect(clientOf(unscoped).list()).rejects.toMatchObject({
      code: 'insufficient_scope',
      status: 403,
    });
    await expect(clientOf(undefined).list()).rejects.toMatchObject({
      code: 'unauthenticated',
      status: 401,
    });
    const poll = clientOf(world.buyer.session).poll({ since: 'yesterday' });
    const error = (await poll.next().catch((reason: unknown) => reason)) as DealSetsError;
    expect(error).toMatchObject({ name: 'DealSetsError', code: 'invalid_request', status: 400 });
    expect(error.requestId).toMatch(/\S/);
    expect(world.service.logLines.join('')).toContain(error.requestId);
  });
});

describe('the client through faults', () => {
  let codes: Set<string>;
  const onRetry = ({ code }: DealSetsError): void => void codes.add(code);
  beforeEach(() => (codes = new Set()));

  it('waits until the service’s database is back, and keeps its token', async () => {
    const { token } = world.buyer.assistant;
    const accessToken = jest.fn(() => token);
    toDatabase.partition();
    const listing = clientOf(world.buyer.assistant, { accessToken, onRetry }).list();
    while (codes.size === 0) await sleep(50);
    toDatabase.heal();
    expect((await listing).entries).toHaveLength(28);
    expect(accessToken).toHaveBeenCalledTimes(1);
    for (const code of codes) expect(['auth_unverifiable', 'unavailable']).toContain(code);
  });

  it('misses no change while it polls', async () => {
    const options = { baseUrl: `http://127.0.0.1:${proxy.port}`, timeoutMs: 3_000, onRetry };
    const client = clientOf(world.buyer.assistant, options);
    const { asOf } = await client.readAll();
    const controller = new AbortController();
    const { signal } = controller;
    const seen = new Map<string, number | null>();
    const following = (async () => {
      for await (const { entries } of client.poll({ since: asOf, everyMs: 50, signal }))
        for (const entry of entries)
          if (entry.kind === 'single') seen.set(entry.id, entry.lowestWrittenOtdCents);
    })();
    const written = new Map<string, number>();
    const faults: (() => void | Promise<void>)[] = [
      () => proxy.cut(),
      () => proxy.hang(),
      () => proxy.heal(),
      () => proxy.refuse(),
      () => proxy.accept(),
      () => proxy.cutAfter(200),
      () => proxy.heal(),
      () => toDatabase.cut(),
      () => toDatabase.partition(),
      () => toDatabase.heal(),
      () => proxy.partition(),
      () => proxy.heal(),
      () => proxy.delay(100),
      () => proxy.slice(64),
      () => proxy.forgetConnections(),
      () => proxy.blackhole(),
    ];
    let otdCents = 0;
    for (const fault of faults) {
      await fault();
      for (let price = 1; price <= 3; price++) {
        const id = singles[++otdCents % SINGLES]!;
        await database.query(setPrice(id, otdCents));
        written.set(id, otdCents);
        await sleep(50);
      }
    }
    proxy.heal();
    const expectComplete = (): void =>
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(written));
    await eventually(expectComplete).finally(() => controller.abort());
    await following;
    expectComplete();
    expect(codes).toContain('network_error');
  });
});
