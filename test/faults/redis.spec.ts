import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { bearer, call, cookie, LIST, type HttpResponse } from '../setup/http-call.js';
import { eventually } from '../setup/eventually.js';
import { describeWithRedis, RedisServer } from '../setup/redis-server.js';
import { startProcess, type RunningProcess } from '../setup/start-process.js';
import { TcpProxy } from '../setup/tcp-proxy.js';
import {
  createFaultWorld,
  expectEveryResponse,
  loadBuyer,
  callTimed,
  type Call,
  type FaultWorld,
  type TimedResponse,
} from './fault-world.js';

const LIMIT = 5;
const FALLBACKS = 'deal_sets_rate_limit_fallbacks_total';
/** The time during which calls do not wait for counters that failed. */
const PAUSE_MS = 1_000;

describeWithRedis('shared rate-limit counters', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  let world: FaultWorld;
  let managementPort: number;
  let skippedMs = 0;

  beforeAll(async () => {
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + skippedMs);
    redis = await RedisServer.start();
    proxy = await TcpProxy.start(redis.port);
    managementPort = await freePort();
    world = await createFaultWorld({
      env: {
        REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
        READ_RATE_LIMIT: String(LIMIT),
        MANAGEMENT_PORT: String(managementPort),
      },
    });
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await world.stop();
    await proxy.stop();
    await redis.stop();
  });

  async function metric(name: string, port = managementPort): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }
  const isShared = async (): Promise<boolean> =>
    (await metric('deal_sets_rate_limit_shared_up')) === 1;

  /** Stores a new buyer, who has no counted requests, and returns a call of that buyer. */
  async function newBuyer(): Promise<Call> {
    const { cookie: session, getPath } = await loadBuyer(world.database);
    return { path: getPath, credential: { cookie: session } };
  }

  async function waitForSharedCounters(skipMs: number): Promise<void> {
    const until = Date.now() + 60_000;
    while (!(await isShared())) {
      if (Date.now() > until) throw new Error('the counters are not shared again');
      skippedMs += skipMs;
      await callTimed(world.service, await newBuyer());
    }
  }

  describe('of two processes', () => {
    let ports: number[];
    let processes: RunningProcess[] = [];
    beforeAll(async () => {
      const env = {
        DATABASE_URL: world.database.url,
        ...world.service.issuer.settings,
        REDIS_URL: redis.url,
        LOG_LEVEL: 'warn',
      };
      processes = await Promise.all([startProcess(env), startProcess(env)]);
      ports = processes.map(({ port }) => port);
    });
    afterAll(() => Promise.all(processes.map((started) => started.stop())));

    const fallbacks = async (): Promise<number[]> =>
      Promise.all(processes.map((started) => metric(FALLBACKS, started.managementPort)));

    /** Four hundred calls of one buyer to both processes, with the given number in parallel. */
    async function callManyTimes(): Promise<HttpResponse[]> {
      const { id } = await loadBuyer(world.database);
      const { token } = await world.service.tokenFor(id);
      const responses: HttpResponse[] = [];
      let next = 0;
      const caller = async (): Promise<void> => {
        while (next < 400) responses.push(await call(ports[next++ % 2]!, LIST, bearer(token)));
      };
      await Promise.all(Array.from({ length: 40 }, caller));
      return responses;
    }

    it('admit exactly 120 of 400 parallel calls', async () => {
      let responses: HttpResponse[] = [];
      await eventually(async () => {
        const before = await fallbacks();
        responses = await callManyTimes();
        // On a busy machine Redis may respond too late, and then each process counts on its own.
        expect(await fallbacks()).toEqual(before);
      }, 120_000);
      const statuses = responses.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(120);
      const quotas = responses.map(({ headers }) => String(headers['ratelimit']));
      const left = quotas.map((quota) => Number(/^"read";r=(\d+);t=\d+$/.exec(quota)?.[1]));
      const ofAdmitted = left.filter((_, index) => responses[index]?.status === 200);
      expect(ofAdmitted.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, n) => n));
      const rejected = responses.filter(({ status }) => status === 429);
      expect(rejected.length).toBeGreaterThan(0);
      for (const { headers } of rejected) {
        expect(headers['retry-after']).toMatch(/^([1-9]|[1-5]\d|60)$/);
        expect(headers['ratelimit']).toBe(`"read";r=0;t=${String(headers['retry-after'])}`);
      }
    });

    it('do not delay a revocation: it applies to the very next request to each', async () => {
      const buyer = await loadBuyer(world.database);
      const { token } = await world.service.tokenFor(buyer.id);
      const calls = [cookie(buyer.cookie), bearer(token)];
      const codes = async (): Promise<unknown[]> => {
        const responses = ports.flatMap((port) =>
          calls.map((options) => call(port, LIST, options)),
        );
        return (await Promise.all(responses)).map(({ code }) => code);
      };
      expect(await codes()).toEqual([undefined, undefined, undefined, undefined]);
      for (const table of ['buyer_session', 'assistant_grant'])
        await world.database.query(`UPDATE ${table} SET revoked_at = now() WHERE buyer_id = $1`, [
          buyer.id,
        ]);
      expect(new Set(await codes())).toEqual(new Set(['unauthenticated']));
    });
  });

  const faults: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
    ['Redis refuses connections', () => proxy.refuse(), () => proxy.accept()],
    ['Redis hangs on the open connections', () => proxy.blackhole(), () => proxy.heal()],
    ['Redis accepts connections and hangs', () => proxy.hang(), () => proxy.heal()],
    ['Redis responds after two seconds', () => proxy.delay(1_000), () => proxy.heal()],
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

  it.each(faults)('are replaced by counters in the process: %s', async (_fault, begin, end) => {
    await waitForSharedCounters(PAUSE_MS);
    const counted = await metric(FALLBACKS);
    await begin();
    const service = await newBuyer();
    const responses: TimedResponse[] = [];
    // The first call may use a connection whose failure has not been detected yet.
    for (let call = 0; call <= LIMIT; call++)
      responses.push(await callTimed(world.service, service));
    expectEveryResponse(responses.slice(0, LIMIT), 200);
    expectEveryResponse(responses.slice(LIMIT), 429, 'rate_limited');
    expect(await isShared()).toBe(false);
    expect(await metric(FALLBACKS)).toBeGreaterThanOrEqual(counted + LIMIT);
    await end();
    await waitForSharedCounters(PAUSE_MS);
  });

  it('survive a restart without a failed response', async () => {
    const responses: TimedResponse[] = [];
    let isDone = false;
    const caller = async (): Promise<void> => {
      while (!isDone) responses.push(await callTimed(world.service, await newBuyer()));
    };
    const callers = [caller(), caller()];
    await redis.stop();
    while (await isShared()) await sleep(10);
    await redis.run();
    await waitForSharedCounters(0);
    isDone = true;
    await Promise.all(callers);
    expectEveryResponse(responses, 200);
  });

  it('do not keep the service from starting', async () => {
    await proxy.refuse();
    const late = await createFaultWorld({ env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}` } });
    expectEveryResponse([await callTimed(late.service, late.calls[0])], 200);
    await late.stop();
    await proxy.accept();
  });
});
