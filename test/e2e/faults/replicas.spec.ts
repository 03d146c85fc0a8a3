import { keepFigure } from '../../setup/figures.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { LIST } from '../../setup/http-call.js';
import {
  createFaultWorld,
  portOf,
  recoveryMs,
  slowest,
  through,
  timed,
  type FaultWorld,
  type TimedAnswer,
} from './fault-world.js';

/**
 * A primary and two replicas, each behind a wire of its own. The replicas are the primary itself: who is
 * asked, and what happens when it does not answer, is all that matters here.
 */
describe('a service with read replicas', () => {
  let database: TestDatabase;
  let replicas: [TcpProxy, TcpProxy];
  let world: FaultWorld;

  beforeAll(async () => {
    database = await createTestDatabase();
    replicas = [
      await TcpProxy.start(portOf(database.url)),
      await TcpProxy.start(portOf(database.url)),
    ];
    world = await createFaultWorld({
      database,
      env: {
        DATABASE_REPLICA_URLS: replicas.map((replica) => through(replica, database.url)).join(),
        REQUEST_DEADLINE_MS: '4000',
      },
    });
    await everyCall();
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([world.proxy, ...replicas].map((proxy) => proxy.stop()));
    await database.drop();
  });

  /** So often that every replica has its turn. */
  async function everyCall(): Promise<TimedAnswer[]> {
    const answers: TimedAnswer[] = [];
    for (let turn = 0; turn < 3; turn++)
      answers.push(...(await Promise.all(world.calls.map((call) => timed(world.service, call)))));
    return answers;
  }

  const codes = (answers: readonly TimedAnswer[]): (string | undefined)[] => [
    ...new Set(answers.map(({ code }) => code)),
  ];

  it('reads deal data from them', () => {
    for (const replica of replicas) expect(replica.openCount).toBeGreaterThan(0);
  });

  it('cannot authenticate while the primary is lost, and recovers without a restart', async () => {
    await world.proxy.refuse();
    const answers = await everyCall();
    expect(codes(answers)).toEqual(['auth_unverifiable']);
    for (const { headers } of answers) expect(headers['retry-after']).toBeUndefined();
    expect(await timed(world.service, { path: LIST, credential: undefined })).toMatchObject({
      status: 401,
    });
    await world.proxy.accept();
    const recoveredMs = await recoveryMs(world.service, world.calls[0]!);
    expect(codes(await everyCall())).toEqual([undefined]);
    keepFigure({
      fault: 'primary lost while replicas live',
      answeredMs: slowest(answers),
      recoveredMs,
    });
  });

  it('goes on with the others when one refuses, and with the primary when all do', async () => {
    await replicas[0].refuse();
    const withOne = await everyCall();
    await replicas[1].refuse();
    const withNone = await everyCall();
    expect(codes([...withOne, ...withNone])).toEqual([undefined]);
    await replicas[0].accept();
    await replicas[1].accept();
    keepFigure({ fault: 'one replica refuses', answeredMs: slowest(withOne) });
    keepFigure({ fault: 'both replicas refuse', answeredMs: slowest(withNone) });
  });

  it('goes on within the deadline when one falls silent, and leaves it alone from then on', async () => {
    await recoveryMs(world.service, world.calls[0]!);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(codes(await everyCall())).toEqual([undefined]);
    replicas[0].blackhole();
    const met = await everyCall();
    expect(codes(met)).toEqual([undefined]);
    const spared = await Promise.all(world.calls.map((call) => timed(world.service, call)));
    expect(codes(spared)).toEqual([undefined]);
    replicas[0].heal();
    keepFigure({
      fault: 'one replica falls silent, deadline of 4,000 ms',
      answeredMs: slowest(met),
      note: 'half the deadline, then the next server',
    });
  });
});
