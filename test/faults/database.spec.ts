import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseHealth } from '../../src/database/database-health.js';
import { eventually } from '../setup/eventually.js';
import { keepFigure } from '../setup/figures.js';
import { readsOn } from '../setup/reads-on.js';
import { TcpProxy } from '../setup/tcp-proxy.js';
import { LIST } from '../setup/http-call.js';
import {
  createFaultWorld,
  Load,
  portOf,
  recoveryMs,
  serverConnections,
  slowest,
  timed,
  type FaultWorld,
  type TimedAnswer,
} from './fault-world.js';
import { OwnCluster } from './own-cluster.js';

/** Whatever breaks, an answer comes within the deadline and what a slow machine adds. */
const ALWAYS_MS = 9_000;
/** A sign-in that cannot be verified is given up after one second. */
const SIGN_IN_MS = 2_500;

const warm = (world: FaultWorld): Promise<TimedAnswer[]> =>
  Promise.all([...world.calls, ...world.calls].map((call) => timed(world.service, call)));

const terminate = (world: FaultWorld, where: string): Promise<object[]> =>
  world.database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'deal-sets %' AND ${where}`,
  );

/** What can be refuted without the database is refuted during an outage too. */
async function expectRefutations({ service, anna }: FaultWorld): Promise<void> {
  const expired = await service.tokenFor(anna.id, { exp: 1 });
  for (const credential of [undefined, { token: 'garbage' }, expired, { cookie: 'short' }]) {
    const answer = await timed(service, { path: LIST, credential });
    expect([answer.status, answer.code]).toEqual([401, 'unauthenticated']);
    expect(answer.tookMs).toBeLessThan(SIGN_IN_MS);
  }
}

describe('a database that fails and comes back', () => {
  let world: FaultWorld;

  beforeAll(async () => {
    world = await createFaultWorld();
    await warm(world);
  });
  afterEach(() => world.proxy.heal());
  afterAll(() => world.stop());

  async function expectRecovery(): Promise<number> {
    const tookMs = await recoveryMs(world.service, world.calls[0]!);
    for (const call of world.calls) await recoveryMs(world.service, call);
    const answers = await warm(world);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return tookMs;
  }

  it('may kill idle connections without a failed request', async () => {
    const before = await serverConnections(world.database);
    const killed = await terminate(world, "state = 'idle'");
    expect(killed.length).toBeGreaterThan(3);
    await sleep(50);
    const answers = await warm(world);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const after = await serverConnections(world.database);
    keepFigure({
      fault: `${killed.length} idle connections killed`,
      answeredMs: slowest(answers),
      connections: `${before.total} → ${after.total}`,
    });
  });

  it('may kill busy connections: their reads are tried once more', async () => {
    const load = new Load(world, 8);
    let killed = 0;
    for (let round = 0; round < 15; round++) {
      await sleep(80);
      killed += (await terminate(world, "pid % 2 = 0 AND application_name LIKE '%reads'")).length;
    }
    const answers = await load.stop();
    expect(killed).toBeGreaterThan(2);
    expect(new Set(answers.map(({ status }) => status))).not.toContain(500);
    // A second kill may meet the second try: 503, and that is the end of it.
    const failed = answers.filter(({ status }) => status !== 200);
    // A busy machine makes fewer reads meanwhile.
    expect(failed.length).toBeLessThan(Math.max(4, answers.length / 20));
    await expectRecovery();
    keepFigure({
      fault: `${killed} connections killed under load`,
      answeredMs: slowest(answers),
      note: `${answers.length} reads, of which 503: ${failed.length}`,
    });
  });

  it('may be cut off by a partition: 503 in time, and all is well once it heals', async () => {
    const before = await serverConnections(world.database);
    world.proxy.partition();
    const answers = await warm(world);
    for (const { status, code } of answers)
      expect([status, code]).toEqual([503, 'auth_unverifiable']);
    expect(slowest(answers)).toBeLessThan(SIGN_IN_MS);
    await expectRefutations(world);
    world.proxy.heal();
    const recoveredMs = await expectRecovery();
    expect(recoveredMs).toBeLessThan(3_000);
    const after = await serverConnections(world.database);
    keepFigure({
      fault: 'partition',
      answeredMs: slowest(answers),
      recoveredMs,
      connections: `${before.total} → ${after.total}`,
    });
  });

  it('may be cut off for good on the connections there are: each costs one request', async () => {
    await warm(world);
    world.proxy.blackhole();
    const answers = await Promise.all(world.calls.map((call) => timed(world.service, call)));
    for (const { status, code } of answers)
      expect([status, code]).toEqual([503, 'auth_unverifiable']);
    world.proxy.heal();
    const startedAt = performance.now();
    // As many at once as there are connections: one for each that is dead.
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([1, 2, 3, 4, 5].map(() => warm(world)));
    }
    const recoveredMs = performance.now() - startedAt;
    await expectRecovery();
    keepFigure({
      fault: 'connections go silent for good',
      answeredMs: slowest(answers),
      recoveredMs,
    });
  });

  it('may refuse, or take connections and say nothing', async () => {
    const faults = {
      'database refuses connections': {
        begin: () => world.proxy.refuse(),
        end: () => world.proxy.accept(),
      },
      'database takes connections and hangs': {
        begin: () => {
          world.proxy.hang();
          return Promise.resolve();
        },
        end: () => {
          world.proxy.heal();
          return Promise.resolve();
        },
      },
    };
    for (const [fault, { begin, end }] of Object.entries(faults)) {
      await begin();
      const answers = await Promise.all(world.calls.map((call) => timed(world.service, call)));
      for (const { status, code } of answers)
        expect([status, code]).toEqual([503, 'auth_unverifiable']);
      expect(slowest(answers)).toBeLessThan(SIGN_IN_MS);
      await expectRefutations(world);
      await end();
      keepFigure({ fault, answeredMs: slowest(answers), recoveredMs: await expectRecovery() });
    }
  });

  it('may be slow or drip its bytes: the answers are the same', async () => {
    const [good] = await warm(world);
    world.proxy.delay(40);
    const late = await warm(world);
    expect(late[0]!.text).toBe(good!.text);
    world.proxy.heal();
    // Not a multiple of what messages begin with: some of those are cut in two.
    world.proxy.slice(11);
    const dripped = await warm(world);
    expect(dripped[0]!.text).toBe(good!.text);
    for (const { status } of [...late, ...dripped]) expect(status).toBe(200);
    world.proxy.cut();
    await expectRecovery();
    keepFigure({ fault: 'latency of 80 ms a round trip', answeredMs: slowest(late) });
    keepFigure({ fault: 'bytes arrive eleven at a time', answeredMs: slowest(dripped) });
  });
});

describe('a database that is restarted', () => {
  let cluster: OwnCluster;
  let proxy: TcpProxy;

  beforeAll(async () => {
    cluster = await OwnCluster.start();
    proxy = await TcpProxy.start(portOf(cluster.url));
  });
  afterAll(async () => {
    await proxy.stop();
    await cluster.remove();
  });

  it('is met again without anybody’s help, under load', async () => {
    const world = await createFaultWorld({ database: cluster.database, proxy });
    await warm(world);
    const load = new Load(world, 8, 5);
    await sleep(200);
    const stoppedAt = performance.now();
    await cluster.stop();
    await eventually(() => expect(load.refusals).toHaveProperty('auth_unverifiable'));
    await cluster.start();
    proxy.target = portOf(cluster.url);
    const downMs = performance.now() - stoppedAt;
    const recoveredMs = await recoveryMs(world.service, world.calls[3]!);
    for (const call of world.calls) await recoveryMs(world.service, call);
    await sleep(300);
    const answers = await load.stop();
    expect(answers.slice(-8).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(
      Object.keys(load.refusals).every((code) => /^(unavailable|auth_unverifiable)$/.test(code)),
    ).toBe(true);
    expect(slowest(answers)).toBeLessThan(ALWAYS_MS);
    expect(recoveredMs).toBeLessThan(5_000);
    await world.stop();
    keepFigure({
      fault: `restart of the database under load, down for ${Math.round(downMs)} ms`,
      answeredMs: slowest(answers),
      recoveredMs,
    });
  });

  it('may be down when the service starts', async () => {
    await proxy.refuse();
    // The buyer is loaded past the proxy.
    const world = await createFaultWorld({ database: cluster.database, proxy });
    const live = await world.service.send('GET', '/health/live', undefined);
    const ready = await world.service.send('GET', '/health/ready', undefined);
    expect([live.status, ready.status]).toEqual([200, 503]);
    const answers = await Promise.all(world.calls.map((call) => timed(world.service, call)));
    for (const { status, code, headers } of answers) {
      expect([status, code]).toEqual([503, 'auth_unverifiable']);
      expect(headers['retry-after']).toBeUndefined();
    }
    await expectRefutations(world);
    await proxy.accept();
    const recoveredMs = await recoveryMs(world.service, world.calls[0]!);
    for (const call of world.calls) await recoveryMs(world.service, call);
    await eventually(async () =>
      expect((await world.service.send('GET', '/health/ready', undefined)).status).toBe(200),
    );
    await world.stop();
    keepFigure({
      fault: 'database down when the service starts',
      answeredMs: slowest(answers),
      recoveredMs,
    });
  });

  it('has a role missing: /health/ready says so until `migrate` makes it again', async () => {
    await cluster.database.query('ALTER ROLE deal_sets_reader RENAME TO lost_role');
    const reads = await readsOn(cluster.url);
    const health = (): Promise<object> => new DatabaseHealth(reads).check();
    expect(await health()).toMatchObject({ reason: 'roles_missing' });
    await cluster.migrate();
    await eventually(async () => expect(await health()).toEqual({ needsRebuild: false }));
    await reads.close();
  });
});

describe('a role with few connections', () => {
  it('serves what it can, refuses the rest, and works as before when the limit is lifted', async () => {
    const world = await createFaultWorld();
    const login = `limited_${world.database.name}`;
    await world.database.query(`
      CREATE ROLE ${login} LOGIN PASSWORD 'read' IN ROLE deal_sets_reader, deal_sets_assistant CONNECTION LIMIT 6;
      ALTER ROLE ${login} SET timezone = 'UTC'`);
    const url = Object.assign(new URL(world.database.url), { username: login, password: 'read' });
    const limited = await createFaultWorld({
      database: world.database,
      env: { DATABASE_READER_URL: url.href, DATABASE_ASSISTANT_URL: url.href },
    });
    const load = new Load(limited, 40);
    await sleep(1_500);
    const answers = await load.stop();
    const good = answers.filter(({ status }) => status === 200);
    // Some, also on a machine that is busy with other work.
    expect(good.length).toBeGreaterThan(5);
    expect(new Set(answers.map(({ status }) => status))).not.toContain(500);
    await world.database.query(`ALTER ROLE ${login} CONNECTION LIMIT -1`);
    const recoveredMs = await recoveryMs(limited.service, limited.calls[1]!);
    await sleep(100);
    for (const call of limited.calls) await recoveryMs(limited.service, call);
    const after = await warm(limited);
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
    await limited.stop();
    await world.database.query(`DROP ROLE ${login}`);
    await world.stop();
    keepFigure({
      fault: 'role limited to 6 connections, 40 callers',
      answeredMs: slowest(answers),
      recoveredMs,
      note: `200: ${good.length}, 503: ${answers.length - good.length}`,
    });
  });
});
