import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'node:http';
import { Client } from 'pg';
import { beforeDeadline, eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import type { TestDatabase } from '../../setup/test-database.js';
import { signInHeaders, type TestService } from '../../setup/test-service.js';
import {
  callTimed,
  expectEveryResponse,
  WorldWithProxy,
  type Call,
  type TimedResponse,
} from '../../setup/world-with-proxy.js';
import { readersWithoutTimeLimit } from '../../setup/readers-without-time-limit.js';
import { LoadGenerator } from '../../setup/load-generator.js';
import { serverConnections, slowReads } from '../../setup/slow-reads.js';

/** Locks price checks and lists for all readers until the returned function is called. */
async function lockReads(database: TestDatabase): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: database.url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(
    'BEGIN; LOCK TABLE deal_sets.price_check, deal_sets.request_feed IN ACCESS EXCLUSIVE MODE',
  );
  return () => holder.end();
}

/** The deadline where reads must reach it. */
const DEADLINE_MS = 2_000;

/** The most connections of one service, in its three pools. */
const POOLED = 10 + 10 + 4;

/** The service with its usual deadline, and sign-ins that wait as long as a busy machine needs. */
let world: WorldWithProxy;
beforeAll(async () => {
  world = await WorldWithProxy.open();
  expectEveryResponse(await world.callEveryEndpoint(2), 200);
});
afterAll(() => world.stop());

/** Waits until simultaneous calls succeed. */
const expectRecovery = (): Promise<void> =>
  eventually(async () => expectEveryResponse(await world.callEveryEndpoint(2), 200));

describe('a database that fails and comes back', () => {
  /** The service on the same database, with limits that are reached before the deadline. */
  let impatient: WorldWithProxy;
  beforeAll(async () => {
    impatient = await WorldWithProxy.open({
      database: world.database,
      limits: { signInMs: 1_000, databaseConnectionMs: 1_000 },
    });
    await impatient.recover();
  });
  afterAll(async () => {
    await impatient.stop();
  });
  afterEach(() => {
    world.proxy.heal();
    impatient.proxy.heal();
  });

  const terminate = (where: string): Promise<object[]> =>
    world.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'deal-sets %' AND ${where}`,
    );

  /**
   * Asserts that no credential can be verified, and that what needs no database is still rejected.
   */
  async function expectOutage(): Promise<void> {
    expectEveryResponse(await impatient.callEveryEndpoint(), 503, 'auth_unverifiable');
    const expired = { token: await impatient.token({ claims: { exp: 1 } }) };
    for (const credential of [undefined, { token: 'garbage' }, expired, { cookie: 'short' }])
      expectEveryResponse(
        [await callTimed(impatient.service, { path: LIST, credential })],
        401,
        'unauthenticated',
      );
  }

  it('may kill idle connections without a failed request', async () => {
    expect((await terminate("state = 'idle'")).length).toBeGreaterThan(3);
    await eventually(async () => expect((await serverConnections(world.database)).total).toBe(0));
    expectEveryResponse(await world.callEveryEndpoint(2), 200);
  });

  it('may kill busy connections: their reads are retried once', async () => {
    const load = new LoadGenerator(world, 8);
    let killed = 0;
    const answered = (): number => load.responses.filter(({ status }) => status === 200).length;
    for (let round = 0; round < 15 || killed <= 2; round++) {
      // Twice as many as there are callers.
      const enough = answered() + 16;
      await eventually(() => expect(answered()).toBeGreaterThan(enough));
      killed += (await terminate("pid % 2 = 0 AND application_name LIKE '%reads'")).length;
    }
    const responses = await load.stop();
    expect(new Set(responses.map(({ status }) => status))).not.toContain(500);
    // A second kill may hit the retry, which then ends with 503.
    const failed = responses.filter(({ status }) => status !== 200);
    expect(failed.length).toBeLessThan(responses.length / 2);
    await expectRecovery();
  });

  it('may be cut off by a partition, which causes 503 until it heals', async () => {
    impatient.proxy.partition();
    await expectOutage();
    impatient.proxy.heal();
    await impatient.recover();
  });

  it('may lose its open connections for good: each costs one request', async () => {
    await impatient.callEveryEndpoint(2);
    impatient.proxy.blackhole();
    await expectOutage();
    impatient.proxy.heal();
    // As many calls at once as there are dead connections.
    for (let round = 0; round < 3; round += 1) await impatient.callEveryEndpoint(10);
    await impatient.recover();
  });

  it('may refuse connections', async () => {
    await impatient.proxy.refuse();
    await expectOutage();
    await impatient.proxy.accept();
    await impatient.recover();
  });

  it('may accept connections and stay silent', async () => {
    impatient.proxy.hang();
    await expectOutage();
    impatient.proxy.heal();
    await impatient.recover();
  });

  it('may be slow or send single bytes: the responses are the same', async () => {
    const [good] = await world.callEveryEndpoint();
    world.proxy.delay(40);
    const late = await world.callEveryEndpoint(2);
    world.proxy.heal();
    // Not a multiple of the size of a message header, so that some headers are cut in two.
    world.proxy.slice(11);
    const dripped = await world.callEveryEndpoint(2);
    expectEveryResponse([...late, ...dripped], 200);
    expect([late[0]!.text, dripped[0]!.text]).toEqual([good!.text, good!.text]);
    world.proxy.cut();
    await expectRecovery();
  });
});

describe('abandoned reads', () => {
  /** Settings with logins for the reads whose statements the server never ends by itself. */
  let env: Readonly<Record<string, string>>;
  /** The service with a short deadline. */
  let hasty: WorldWithProxy;
  let unlock = (): Promise<void> => Promise.resolve();

  beforeAll(async () => {
    const { database } = world;
    env = await readersWithoutTimeLimit(database);
    hasty = await WorldWithProxy.open({
      database,
      env: { ...env, REQUEST_DEADLINE_MS: String(DEADLINE_MS) },
    });
  });
  afterEach(() => unlock());
  afterAll(() => hasty.stop());

  /**
   * Waits until all calls at once respond as before the fault, including those with replies: a busy
   * machine may reach the short deadline.
   */
  const expectUsualResponses = (used: WorldWithProxy): Promise<void> =>
    eventually(async () => {
      const responses = await used.callEveryEndpoint();
      expectEveryResponse(responses, 200);
      expect(responses[2]!.text).not.toContain('could_not_check');
      expect(responses[2]!.text).toContain('newReplies');
    });

  /** Counts the connections of one of the services: those of the logins, or the others. */
  async function countConnections(where: string): Promise<number> {
    const found = await world.database.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'deal-sets %' AND ${where}`,
    );
    return found.length;
  }

  /** Waits until the service runs nothing in the database. */
  const untilQuiet = (): Promise<void> =>
    eventually(async () =>
      expect(await serverConnections(world.database)).toMatchObject({ active: 0 }),
    );

  const expectNotBefore = (responses: readonly TimedResponse[], deadlineMs: number): void => {
    for (const { tookMs } of responses) expect(tookMs).toBeGreaterThan(deadlineMs - 100);
  };

  /** Makes a call and disconnects on demand; resolves when the connection is closed. */
  async function callAndDisconnect(
    service: TestService,
    { path, credential }: Call,
    when: Promise<unknown>,
  ): Promise<void> {
    const agent = new Agent();
    const called = service.call(path, { headers: signInHeaders(credential), agent });
    void when.then(() => agent.destroy());
    await called.catch(() => undefined);
  }

  it.each([1, 10])(
    'get 503 at the deadline, and the database stops working on them: %s times both endpoints',
    async (times) => {
      await expectUsualResponses(hasty);
      unlock = await lockReads(world.database);
      const responses = await hasty.callEveryEndpoint(times);
      await untilQuiet();
      expectEveryResponse(responses, 503, 'unavailable');
      expectNotBefore(responses, DEADLINE_MS);
      await unlock();
      await expectUsualResponses(hasty);
      expect(await countConnections("usename LIKE 'unlimited%'")).toBeLessThanOrEqual(POOLED);
    },
  );

  it('get 503 at the 8 seconds of the contract', async () => {
    const usual = await WorldWithProxy.open({ database: world.database, env });
    await usual.callEveryEndpoint();
    unlock = await lockReads(world.database);
    const responses = await usual.callEveryEndpoint();
    await untilQuiet();
    await unlock();
    await usual.stop();
    expectEveryResponse(responses, 503, 'unavailable');
    expectNotBefore(responses, 8_000);
  });

  it('are cancelled when the client disconnects', async () => {
    const usual = await WorldWithProxy.open({ database: world.database, env });
    await beforeDeadline(async () => {
      unlock = await lockReads(world.database);
      const running = new AbortController();
      const gone = usual.calls.map((call) =>
        callAndDisconnect(usual.service, call, once(running.signal, 'abort')),
      );
      await untilLockWaits(world.database, 4);
      running.abort();
      await Promise.all(gone);
      await untilQuiet();
    });
    await unlock();
    await usual.stop();
  });

  it('never cancel another caller’s read in hundreds of attempts, and leave the pool unchanged', async () => {
    await slowReads(world.database, 0.01);
    const load = new LoadGenerator(world, 4);
    let aborted = 0;
    const countAnswered = (): number =>
      load.responses.filter(({ status }) => status === 200).length;
    const lines = world.service.logLines;
    const isAborted = (line: string): boolean => line.includes('"isAborted":true');
    // Some statements run when their client disconnects; the others are before or after their
    // statement.
    while (aborted < 240 || countAnswered() < 100 || lines.filter(isAborted).length <= 50) {
      const callers = [...world.calls, ...world.calls];
      await Promise.all(
        callers.map((call) => callAndDisconnect(world.service, call, sleep(Math.random() * 25))),
      );
      aborted += callers.length;
    }
    const responses = await load.stop();
    await untilQuiet();
    await slowReads(world.database, 0);
    // SQLSTATE 57014 marks a cancelled statement; no caller who stayed may get one.
    expect(lines.filter((line) => line.includes('57014') && !isAborted(line))).toEqual([]);
    // A machine that is slow to make new connections rejects some calls.
    expect(responses.length - countAnswered()).toBeLessThan(responses.length / 2);
    await expectUsualResponses(world);
    expect(await countConnections("usename NOT LIKE 'unlimited%'")).toBeLessThanOrEqual(POOLED);
  });

  it('get unavailable when the database is lost after sign-in', async () => {
    unlock = await lockReads(world.database);
    const pending = world.callEveryEndpoint();
    await untilLockWaits(world.database, 4);
    await world.proxy.refuse();
    await unlock();
    const responses = await pending;
    expectEveryResponse(responses, 503, 'unavailable');
    for (const { headers } of responses)
      expect(headers['retry-after'] ?? '1').toMatch(/^[1-9]\d*$/);
    await world.proxy.accept();
    await expectRecovery();
  });
});

describe('a role with few connections', () => {
  it('serves what it can, rejects the rest, and works as before when the limit is lifted', async () => {
    const { database } = world;
    const login = `limited_${database.name}`;
    await database.query(`
      CREATE ROLE ${login} LOGIN PASSWORD 'read' IN ROLE deal_sets_reader, deal_sets_assistant CONNECTION LIMIT 6;
      ALTER ROLE ${login} SET timezone = 'UTC'`);
    const url = Object.assign(new URL(database.url), { username: login, password: 'read' }).href;
    const limited = await WorldWithProxy.open({
      database,
      env: { DATABASE_READER_URL: url, DATABASE_ASSISTANT_URL: url },
    });
    const load = new LoadGenerator(limited, 40);
    const statuses = (): number[] => load.responses.map(({ status }) => status);
    await eventually(() => {
      expect(statuses().filter((status) => status === 200).length).toBeGreaterThan(5);
      expect(statuses()).toContain(503);
    });
    await load.stop();
    expect(statuses()).not.toContain(500);
    await database.query(`ALTER ROLE ${login} CONNECTION LIMIT -1`);
    await limited.recover();
    expectEveryResponse(await limited.callEveryEndpoint(2), 200);
    await limited.stop();
    await database.query(`DROP ROLE ${login}`);
  });
});
