import { setTimeout as sleep } from 'node:timers/promises';
import { load, dealership } from '../../builders/index.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { createFaultWorld, type FaultWorld } from '../../faults/fault-world.js';
import { clientOf, retriesIn } from './client-of.js';
import { loadSpreadSingles } from './spread-singles.js';

/** 90 requests of one buyer: four pages. */
const SINGLES = 90;

let world: FaultWorld;
/** The wire between the client and the service; `world.proxy` is the one between the service and its database. */
let wire: TcpProxy;
beforeAll(async () => {
  world = await createFaultWorld({ env: { REQUEST_DEADLINE_MS: '1000' } });
  wire = await TcpProxy.start(world.service.port);
  const shop = dealership({ name: 'Quarry Road Autos' });
  await load(world.database, [shop]);
  const ids = { buyerId: world.anna.id, dealershipId: shop.id };
  await loadSpreadSingles(world.database, { ...ids, count: SINGLES });
});
afterAll(async () => {
  await wire.stop();
  await world.stop();
});
afterEach(() => {
  wire.heal();
  world.proxy.heal();
});

const wireUrl = (): string => `http://127.0.0.1:${wire.port}`;
describe('a client whose service loses its database', () => {
  it('waits until it is back, and keeps its token', async () => {
    const codes: string[] = [];
    const { token } = world.assistant as { token: string };
    const accessToken = jest.fn(() => token);
    const options = { accessToken, ...retriesIn(codes) };
    const client = clientOf(world.service.url, world.assistant, options);
    const before = await client.readAll();
    accessToken.mockClear();
    world.proxy.partition();
    const listing = client.list();
    while (codes.length === 0) await sleep(50);
    world.proxy.heal();
    expect((await listing).entries.length).toBeGreaterThan(20);
    expect(accessToken).toHaveBeenCalledTimes(1);
    expect((await client.readAll()).entries).toEqual(before.entries);
    for (const code of codes) expect(['auth_unverifiable', 'unavailable']).toContain(code);
  });
});

describe('a client with a bad connection', () => {
  it('asks again when connections are cut', async () => {
    const codes: string[] = [];
    const client = clientOf(wireUrl(), world.assistant, retriesIn(codes));
    // Inside the first response, so that no page passes: cuts by the clock might miss every response.
    wire.cutAfter(200);
    const reading = client.readAll();
    while (codes.length < 2) await sleep(20);
    wire.heal();
    expect((await reading).entries).toHaveLength(SINGLES + 1);
    expect(new Set(codes)).toEqual(new Set(['network_error']));
  });

  it.each<[string, () => void | Promise<void>, () => void | Promise<void>]>([
    ['refuses connections', () => wire.refuse(), () => wire.accept()],
    ['loses everything', () => wire.blackhole(), () => wire.heal()],
  ])('outlasts a network that %s', async (_title, breakIt, mend) => {
    const codes: string[] = [];
    const options = { timeoutMs: 500, ...retriesIn(codes) };
    const client = clientOf(wireUrl(), world.assistant, options);
    await client.list();
    await breakIt();
    const listing = client.list();
    while (codes.length === 0) await sleep(50);
    await mend();
    expect((await listing).entries.length).toBeGreaterThan(20);
    expect(new Set(codes)).toEqual(new Set(['network_error']));
  });

  it('reads through a slow one, in pieces', async () => {
    wire.slice(40);
    expect(await clientOf(wireUrl(), world.session).list()).toEqual(
      await clientOf(world.service.url, world.session).list(),
    );
    wire.heal();
    wire.delay(200);
    expect((await clientOf(wireUrl(), world.assistant).readAll()).entries).toHaveLength(
      SINGLES + 1,
    );
  });

  it('stops at once when it is aborted while it waits', async () => {
    wire.hang();
    const controller = new AbortController();
    const client = clientOf(wireUrl(), world.assistant, { timeoutMs: 60_000 });
    const batches: unknown[] = [];
    setTimeout(() => controller.abort(), 300);
    for await (const batch of client.poll({ signal: controller.signal })) batches.push(batch);
    expect(batches).toEqual([]);
  });
});

describe('a poll through every fault', () => {
  it('misses no change', async () => {
    const codes: string[] = [];
    const client = clientOf(wireUrl(), world.assistant, { timeoutMs: 1_000, ...retriesIn(codes) });
    const { asOf } = await client.readAll();
    const controller = new AbortController();
    const seen = new Map<string, number | null>();
    const following = (async () => {
      const { signal } = controller;
      for await (const { entries } of client.poll({ since: asOf, everyMs: 50, signal }))
        for (const entry of entries)
          if (entry.kind === 'single') seen.set(entry.id, entry.lowestWrittenOtdCents);
    })();
    const written = new Map<string, number>();
    const faults = [
      () => wire.cut(),
      () => wire.hang(),
      () => wire.heal(),
      () => world.proxy.cut(),
      () => world.proxy.partition(),
      () => world.proxy.heal(),
      () => wire.partition(),
      () => wire.heal(),
      () => wire.slice(64),
      () => wire.strand(),
    ];
    for (const [index, fault] of faults.entries()) {
      fault();
      for (let price = 1; price <= 3; price++) {
        const otd = index * 10 + price;
        const [row] = await world.database.query<{ id: string }>(
          `UPDATE price_check SET answer = 'same_car', otd_cents = ${otd}, written_at = now()
           WHERE id = (SELECT id FROM price_check WHERE deal_set_id IS NULL
                       ORDER BY otd_cents NULLS FIRST, id LIMIT 1) RETURNING id`,
        );
        written.set(row!.id, otd);
        await sleep(50);
      }
    }
    wire.heal();
    const isComplete = (): boolean => [...written].every(([id, otd]) => seen.get(id) === otd);
    for (let waited = 0; !isComplete() && waited < 30_000; waited += 100) await sleep(100);
    controller.abort();
    await following;
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(written));
    expect(codes.length).toBeGreaterThan(0);
  });
});
