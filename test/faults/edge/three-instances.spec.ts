import { startProcess, type RunningProcess } from '../../setup/start-process.js';
import { bearer, call, LIST } from '../../setup/http-call.js';
import { describeWithRedis, RedisServer } from '../../setup/redis-server.js';
import { CLIENT, createWorld, type SignInWorld } from '../../api/sign-in/world.js';

describeWithRedis('three instances of the built service with one Redis', () => {
  let world: SignInWorld;
  let redis: RedisServer;
  let instances: RunningProcess[] = [];

  beforeAll(async () => {
    [world, redis] = await Promise.all([createWorld(), RedisServer.start()]);
    const env = {
      ...(world.env as Record<string, string>),
      REDIS_URL: redis.url,
      LOG_LEVEL: 'warn',
    };
    instances = await Promise.all([1, 2, 3].map(() => startProcess({ env })));
  });

  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await redis.stop();
    await world.close();
  });

  function on(instance: number): number {
    return Number(new URL(instances[instance % 3]!.baseUrl).port);
  }

  it('admit exactly 120 of 1,000 parallel calls', async () => {
    const options = bearer(await world.token());
    // So many at a time that sign-in keeps up on a slow machine too: who is sent away before it has not
    // been counted, and fewer than 120 could be admitted.
    const answers: Awaited<ReturnType<typeof call>>[] = [];
    let next = 0;
    const caller = async (): Promise<void> => {
      for (let index = next++; index < 1000; index = next++) {
        answers.push(await call(on(index), LIST, options));
      }
    };
    await Promise.all(Array.from({ length: 60 }, caller));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(120);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    const waits = answers.flatMap(({ headers, status }) =>
      status === 429 ? [String(headers['retry-after'])] : [],
    );
    expect(waits.filter((wait) => !/^([1-9]|[1-5]\d|60)$/.test(wait))).toEqual([]);
  });

  it('show a revocation on the very next request, each of them', async () => {
    const options = { headers: { cookie: `__Host-session=${world.cookie}` } };
    for (let instance = 0; instance < 3; instance += 1) {
      expect((await call(on(instance), LIST, options)).status).toBe(200);
    }
    await world.database.query('UPDATE buyer_session SET revoked_at = now()');
    await world.database.query(
      'UPDATE assistant_grant SET revoked_at = now() WHERE client_id = $1',
      [CLIENT],
    );
    const token = bearer(await world.token());
    for (let instance = 0; instance < 3; instance += 1) {
      expect((await call(on(instance), LIST, options)).code).toBe('unauthenticated');
      expect((await call(on(instance), LIST, token)).code).toBe('unauthenticated');
    }
  });
});
