import { eventually } from '../setup/eventually.js';
import { keepFigure } from '../setup/figures.js';
import { TcpProxy } from '../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { LIST } from '../setup/http-call.js';
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
 * A primary and a replica, each behind a wire of its own. The replica is the primary itself: who is
 * asked, and what happens when it does not answer, is all that matters here.
 */
describe('a service with a read replica', () => {
  let database: TestDatabase;
  let replica: TcpProxy;
  let world: FaultWorld;

  beforeAll(async () => {
    database = await createTestDatabase();
    replica = await TcpProxy.start(portOf(database.url));
    world = await createFaultWorld({
      database,
      env: {
        DATABASE_REPLICA_URL: through(replica, database.url),
        REQUEST_DEADLINE_MS: '4000',
      },
    });
    await everyCall();
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([world.proxy, replica].map((proxy) => proxy.stop()));
    await database.drop();
  });

  async function everyCall(): Promise<TimedAnswer[]> {
    const answers: TimedAnswer[] = [];
    for (let turn = 0; turn < 3; turn++)
      answers.push(...(await Promise.all(world.calls.map((call) => timed(world.service, call)))));
    return answers;
  }

  const codes = (answers: readonly TimedAnswer[]): (string | undefined)[] => [
    ...new Set(answers.map(({ code }) => code)),
  ];

  it('reads deal data from it', () => {
    expect(replica.openCount).toBeGreaterThan(0);
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

  it('goes on with the primary when it refuses, and returns to it', async () => {
    await replica.refuse();
    const answers = await everyCall();
    expect(codes(answers)).toEqual([undefined]);
    await replica.accept();
    const { acceptedCount } = replica;
    await eventually(async () => {
      await everyCall();
      expect(replica.acceptedCount).toBeGreaterThan(acceptedCount);
    });
    keepFigure({ fault: 'the replica refuses', answeredMs: slowest(answers) });
  });

  it('goes on within the deadline when it falls silent, and leaves it alone from then on', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(codes(await everyCall())).toEqual([undefined]);
    replica.blackhole();
    const met = await everyCall();
    expect(codes(met)).toEqual([undefined]);
    const spared = await Promise.all(world.calls.map((call) => timed(world.service, call)));
    expect(codes(spared)).toEqual([undefined]);
    replica.heal();
    keepFigure({
      fault: 'the replica falls silent, deadline of 4,000 ms',
      answeredMs: slowest(met),
      note: 'a quarter of the deadline, then the primary',
    });
  });
});
