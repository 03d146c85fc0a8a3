import { setTimeout as sleep } from 'node:timers/promises';
import { keepFigure } from '../setup/figures.js';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { TcpProxy } from '../setup/tcp-proxy.js';
import { describeWithRedis, RedisServer } from '../setup/redis-server.js';
import {
  createFaultWorld,
  loadBuyer,
  slowest,
  timed,
  type Call,
  type FaultWorld,
  type TimedAnswer,
} from './fault-world.js';

const LIMIT = 5;
/** Half a second for the answer, and as much for a slow machine. */
const ANSWERED_MS = 1_000;

describeWithRedis('shared rate-limit counters that fail', () => {
  let redis: RedisServer;
  let wire: TcpProxy;
  let world: FaultWorld;
  let managementUrl: string;

  beforeAll(async () => {
    redis = await RedisServer.start();
    wire = await TcpProxy.start(redis.port);
    const managementPort = await freePort();
    managementUrl = `http://127.0.0.1:${managementPort}/metrics`;
    world = await createFaultWorld({
      env: {
        REDIS_URL: `redis://127.0.0.1:${wire.port}`,
        READ_RATE_LIMIT: String(LIMIT),
        MANAGEMENT_PORT: String(managementPort),
      },
    });
  });
  afterAll(async () => {
    await world.stop();
    await wire.stop();
    await redis.stop();
  });

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(managementUrl)).text();
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }

  /** A buyer without counted requests. */
  async function fresh(): Promise<Omit<Call, 'name'>> {
    const { cookie, getPath } = await loadBuyer(world.database);
    return { path: getPath, credential: { cookie } };
  }

  async function untilShared(): Promise<number> {
    const startedAt = performance.now();
    while ((await metric('deal_sets_rate_limit_shared_up')) !== 1) {
      if (performance.now() - startedAt > 15_000)
        throw new Error('the counters are not shared again');
      await timed(world.service, await fresh());
    }
    return performance.now() - startedAt;
  }

  const faults: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
    ['Redis refuses connections', () => wire.refuse(), () => wire.accept()],
    ['Redis hangs on the connections there are', () => wire.blackhole(), () => wire.heal()],
    ['Redis takes connections and hangs', () => wire.hang(), () => wire.heal()],
    ['Redis answers after two seconds', () => wire.delay(1_000), () => wire.heal()],
    [
      'Redis is full (noeviction)',
      async () => {
        await redis.stop();
        await redis.run('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
      },
      async () => {
        await redis.stop();
        await redis.run();
      },
    ],
  ];

  it.each(faults)('%s: counted in the process, in time', async (fault, begin, end) => {
    await untilShared();
    const counted = await metric('deal_sets_rate_limit_fallbacks_total');
    await begin();
    const call = await fresh();
    const answers: TimedAnswer[] = [];
    // The first may meet a connection that still seemed good.
    for (let turn = 0; turn <= LIMIT; turn++) answers.push(await timed(world.service, call));
    expect(slowest(answers)).toBeLessThan(ANSWERED_MS);
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(LIMIT).fill(200), 429]);
    expect(await metric('deal_sets_rate_limit_shared_up')).toBe(0);
    expect(await metric('deal_sets_rate_limit_fallbacks_total')).toBeGreaterThanOrEqual(
      counted + LIMIT,
    );
    await end();
    keepFigure({ fault, answeredMs: slowest(answers), recoveredMs: await untilShared() });
  });

  it('restarts: no answer is late, none is an error', async () => {
    const answers: TimedAnswer[] = [];
    let isDone = false;
    const caller = async (): Promise<void> => {
      while (!isDone) answers.push(await timed(world.service, await fresh()));
    };
    const callers = [caller(), caller()];
    await redis.stop();
    while ((await metric('deal_sets_rate_limit_shared_up')) !== 0) await sleep(10);
    await redis.run();
    const recoveredMs = await untilShared();
    isDone = true;
    await Promise.all(callers);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(slowest(answers)).toBeLessThan(ANSWERED_MS);
    keepFigure({ fault: 'Redis restarts under load', answeredMs: slowest(answers), recoveredMs });
  });

  it('does not keep the service from starting', async () => {
    await wire.refuse();
    const late = await createFaultWorld({ env: { REDIS_URL: `redis://127.0.0.1:${wire.port}` } });
    expect(await timed(late.service, late.calls[0]!)).toMatchObject({ status: 200 });
    await late.stop();
    await wire.accept();
  });
});
