import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis-6';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { bearer, call, cookie, LIST, type HttpResponse } from '../../setup/http-call.js';
import { eventually } from '../../setup/eventually.js';
import { describeWithRedis, RedisServer } from '../../setup/redis-server.js';
import { startProcess, type RunningProcess } from '../../setup/start-process.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { TestService } from '../../setup/test-service.js';
import { WebServer } from '../../setup/web-server.js';
import {
  callTimed,
  expectEveryResponse,
  WorldWithProxy,
  type Call,
  type TimedResponse,
} from '../../setup/world-with-proxy.js';

const LIMIT = 5;
const SHARED_UP = 'deal_sets_rate_limit_shared_up';
const FALLBACKS = 'deal_sets_rate_limit_fallbacks_total';
/** The time during which calls do not wait for counters that failed. */
const PAUSE_MS = 1_000;

/**
 * The rights that `docs/operations/install.md` names for the user of the service, without `+info`,
 * which only the warning about a cluster needs.
 */
const DOCUMENTED_RIGHTS =
  'resetkeys ~deal-sets:rate:* -@all +ping +eval +evalsha +time +lindex +llen +lpop +rpush +pexpire'.split(
    ' ',
  );

/** Starts a cluster of two nodes, of which the second serves every key. */
async function startCluster(): Promise<[RedisServer, RedisServer]> {
  const start = async (): Promise<RedisServer> => {
    const busPort = String(await freePort());
    const file = `nodes-${busPort}.conf`;
    return RedisServer.start(
      ...['--cluster-enabled', 'yes', '--cluster-config-file', file, '--cluster-port', busPort],
    );
  };
  const nodes = [await start(), await start()] as const;
  const [first, second] = nodes.map(({ url }) => new Redis(url));
  await second!.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  const busPort = await second!.config('GET', 'cluster-port');
  await first!.call('CLUSTER', 'MEET', '127.0.0.1', String(nodes[1].port), busPort[1]!);
  await eventually(async () =>
    expect(await first!.get('any key').catch(String)).toContain('MOVED '),
  );
  first!.disconnect();
  second!.disconnect();
  return [...nodes];
}

describeWithRedis('shared rate-limit counters', () => {
  let redis: RedisServer;
  let webServer: WebServer;
  let proxy: TcpProxy;
  let world: WorldWithProxy;
  let managementPort: number;
  let skippedMs = 0;

  beforeAll(async () => {
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + skippedMs);
    redis = await RedisServer.start();
    webServer = await WebServer.start();
    proxy = await TcpProxy.start(redis.port);
    managementPort = await freePort();
    world = await WorldWithProxy.open({
      // Calls wait for a Redis that hangs. Those whose count is awaited are repeated.
      limits: {
        redisConnectionMs: 500,
        redisStartReplyMs: 500,
        redisSocketMs: 1_000,
        sharedCountMs: 300,
      },
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
    await webServer.stop();
    await redis.stop();
  });

  async function metric(name: string, port = managementPort): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }
  const isShared = async (): Promise<boolean> => (await metric(SHARED_UP)) === 1;

  /** Stores a new buyer, who has no counted requests, and returns a call of that buyer. */
  async function newBuyer(): Promise<Call> {
    const { session, getPath } = await world.addBuyer();
    return { path: getPath, credential: session };
  }

  const settingsWith = (redisUrl: string): Record<string, string> => ({
    ...world.env,
    REDIS_URL: redisUrl,
    READ_RATE_LIMIT: String(LIMIT),
    LOG_LEVEL: 'warn',
  });

  /** Returns how many calls of a new buyer got 200 before the first 429. */
  async function callUntilRejected({ port }: { readonly port: number }): Promise<number> {
    const { session } = await world.addBuyer();
    for (let admitted = 0; ; admitted++) {
      const { status } = await call(port, LIST, cookie(session.cookie));
      if (status === 429) return admitted;
      expect(status).toBe(200);
    }
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
        ...world.env,
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
      const { token } = (await world.addBuyer()).assistant;
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
        // On a busy machine Redis may respond too late, and then each process counts on its own. A
        // call may also reach its deadline after it was counted.
        expect(await fallbacks()).toEqual(before);
        expect(responses.filter(({ status }) => status === 503)).toEqual([]);
      });
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
      const buyer = await world.addBuyer();
      const calls = [cookie(buyer.session.cookie), bearer(buyer.assistant.token)];
      const codes = async (): Promise<unknown[]> => {
        const responses = ports.flatMap((port) =>
          calls.map((options) => call(port, LIST, options)),
        );
        return (await Promise.all(responses)).map(({ code }) => code);
      };
      expect(await codes()).toEqual([undefined, undefined, undefined, undefined]);
      for (const table of ['buyer_session', 'assistant_grant'])
        await world.database.query(
          `UPDATE deal_sets.${table} SET revoked_at = now() WHERE buyer_id = $1`,
          [buyer.id],
        );
      expect(new Set(await codes())).toEqual(new Set(['unauthenticated']));
    });
  });

  const faults: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
    ['Redis refuses connections', () => proxy.refuse(), () => proxy.accept()],
    ['Redis hangs on the open connections', () => proxy.blackhole(), () => proxy.heal()],
    ['Redis accepts connections and hangs', () => proxy.hang(), () => proxy.heal()],
    ['Redis responds after two seconds', () => proxy.delay(1_000), () => proxy.heal()],
    [
      'a web server responds in place of Redis',
      () => {
        proxy.target = webServer.port;
        proxy.cut();
      },
      () => {
        proxy.target = redis.port;
      },
    ],
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

  describe('at the start', () => {
    let restricted: RedisServer;
    let locked: RedisServer;
    let nodes: RedisServer[];
    beforeAll(async () => {
      restricted = await RedisServer.start(
        '--user',
        'limited',
        'on',
        '>right',
        ...DOCUMENTED_RIGHTS,
      );
      locked = await RedisServer.start('--requirepass', 'right');
      nodes = await startCluster();
    });
    afterAll(() => Promise.all([restricted, locked, ...nodes].map((server) => server.stop())));

    type Line = Readonly<Record<string, unknown>>;

    /**
     * Starts the service, and returns its warnings and the gauge before any counted request.
     *
     * @param use the service before it stops.
     */
    async function startWith(
      redisUrl: string,
      use: (service: TestService) => Promise<unknown> = () => Promise.resolve(),
    ): Promise<{ lines: Line[]; up: number }> {
      const port = await freePort();
      const service = await TestService.start({
        database: world.database,
        env: {
          REDIS_URL: redisUrl,
          READ_RATE_LIMIT: String(LIMIT),
          MANAGEMENT_PORT: String(port),
        },
      });
      const up = await metric(SHARED_UP, port);
      await use(service);
      await service.stop();
      const lines = service.logLines.map((line) => JSON.parse(line) as Line);
      const isWarning = ({ level, msg }: Line): boolean =>
        (level === 'warn' || level === 'error') && msg !== 'request';
      return { lines: lines.filter(isWarning), up };
    }

    it('are in use after the first reply', async () => {
      expect(await startWith(redis.url)).toEqual({ lines: [], up: 1 });
    });

    it.each<[string, string, () => Promise<string> | string]>([
      ['the password is wrong', 'WRONGPASS', () => restricted.urlFor('limited', 'SECRET-wrong')],
      ['the password is missing', 'NOAUTH', () => locked.url],
      ['nothing listens', 'ECONNREFUSED', async () => `redis://127.0.0.1:${await freePort()}`],
      ['a web server listens', 'not_redis', () => `redis://127.0.0.1:${webServer.port}`],
      ['it wants a password', 'not_redis', () => `redis://:SECRET@127.0.0.1:${webServer.port}`],
    ])('are named in a warning when %s: %s', async (_what, errorCode, url) => {
      const { lines, up } = await startWith(await url());
      expect(up).toBe(0);
      const msg = expect.stringContaining('check REDIS_URL') as string;
      expect(lines).toEqual([expect.objectContaining({ level: 'warn', errorCode, msg })]);
      expect(JSON.stringify(lines)).not.toContain('SECRET');
    });

    it('need no more than the documented commands, and print only JSON without INFO', async () => {
      const service = await startProcess(settingsWith(restricted.urlFor('limited', 'right')));
      expect(await callUntilRejected(service)).toBe(LIMIT);
      expect(await metric(FALLBACKS, service.managementPort)).toBe(0);
      await service.stop();
      // Neither a line that is not JSON, nor a warning.
      expect(service.output()).toBe('');
    });

    it('are not shared in a cluster: the start names it, the log of a rejected key the word', async () => {
      const { lines } = await startWith(nodes[0]!.url, async (service) =>
        expect(await callUntilRejected(service)).toBe(LIMIT),
      );
      expect(lines).toEqual([
        expect.objectContaining({ level: 'warn', reason: 'cluster_enabled' }),
        expect.objectContaining({ level: 'error', errorCode: 'MOVED' }),
      ]);
    });
  });

  it('do not keep the service from starting', async () => {
    await proxy.refuse();
    const port = await freePort();
    const late = await WorldWithProxy.open({
      env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}`, MANAGEMENT_PORT: String(port) },
    });
    expect(await metric(SHARED_UP, port)).toBe(0);
    expectEveryResponse([await callTimed(late.service, late.calls[0])], 200);
    await late.stop();
    await proxy.accept();
  });
});
