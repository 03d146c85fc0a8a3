import { randomUUID } from 'node:crypto';
import { SessionStore } from '../../src/auth/session-store.js';
import { eventually } from '../setup/eventually.js';
import { TcpProxy } from '../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { LIST } from '../setup/http-call.js';
import { TestService } from '../setup/test-service.js';
import {
  createFaultWorld,
  expectAll,
  portOf,
  slowest,
  through,
  timed,
  type FaultWorld,
} from './fault-world.js';

/**
 * The service's default deadline. A quarter of it is longer than a read takes on a busy machine.
 */
const DEADLINE_MS = 8_000;

/**
 * A primary and a replica, each behind its own proxy. Both are the same server: only which one the
 * service reads from, and what happens when it does not respond, matters here.
 */
describe('a service with a read replica', () => {
  let database: TestDatabase;
  let replica: TcpProxy;
  let world: FaultWorld;
  let skippedMs = 0;

  beforeAll(async () => {
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + skippedMs);
    database = await createTestDatabase();
    replica = await TcpProxy.start(portOf(database.url));
    world = await createFaultWorld({
      database,
      env: { DATABASE_REPLICA_URL: through(replica, database.url) },
    });
    await world.everyCall(3);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await world.stop();
    await Promise.all([world.proxy, replica].map((proxy) => proxy.stop()));
    await database.drop();
  });

  it('reads deal data from the replica', () => {
    expect(replica.openCount).toBeGreaterThan(0);
  });

  it('cannot authenticate while the primary is lost, and recovers without a restart', async () => {
    await world.proxy.refuse();
    const answers = await world.everyCall(3);
    expectAll(answers, 503, 'auth_unverifiable');
    for (const { headers } of answers) expect(headers['retry-after']).toBeUndefined();
    expectAll(
      [await timed(world.service, { path: LIST, credential: undefined })],
      401,
      'unauthenticated',
    );
    await world.proxy.accept();
    await world.recover();
    expectAll(await world.everyCall(3), 200);
  });

  it('responds with unavailable for a deal set that the replica lacks while the primary is lost', async () => {
    // Sign-in must not need the primary here.
    const { id: buyerId, cookie, getPath } = world.anna;
    const session = { buyerId, expiresAt: new Date('2999-01-01'), revokedAt: null };
    const sessions: SessionStore = { find: () => Promise.resolve(session) };
    const service = await TestService.start({
      database,
      hostOptions: { providers: [{ provide: SessionStore, useValue: sessions }] },
      env: {
        DATABASE_URL: through(world.proxy, database.url),
        DATABASE_REPLICA_URL: through(replica, database.url),
      },
    });
    const missing = { path: `${LIST}/${randomUUID()}`, credential: { cookie } };
    const known = { path: getPath, credential: { cookie } };
    try {
      expectAll([await timed(service, missing)], 404, 'not_found');
      await world.proxy.refuse();
      const answers = [await timed(service, missing), await timed(service, known)] as const;
      await world.proxy.accept();
      expectAll([answers[0]], 503, 'unavailable');
      expectAll([answers[1]], 200);
      await eventually(async () => {
        expectAll([await timed(service, missing)], 404, 'not_found');
      });
    } finally {
      await service.stop();
      await world.recover();
    }
  });

  it('falls back to the primary after a quarter of the deadline when the replica is silent, and then at once', async () => {
    await eventually(async () => {
      // A busy machine may have been late before: then the service reads from the primary for five
      // seconds.
      skippedMs += 5_000;
      replica.heal();
      expectAll(await world.everyCall(), 200);
      replica.blackhole();
      const met = await world.everyCall(3);
      expectAll(met, 200);
      expect(slowest(met)).toBeGreaterThan(DEADLINE_MS / 4 - 50);
    }, 120_000);
    const { acceptedCount } = replica;
    expectAll(await world.everyCall(3), 200);
    expect(replica.acceptedCount).toBe(acceptedCount);
    replica.heal();
  });

  it('returns to the replica five seconds later, and uses the primary when the replica refuses connections', async () => {
    const { acceptedCount } = replica;
    await eventually(async () => {
      skippedMs += 5_000;
      expectAll(await world.everyCall(3), 200);
      expect(replica.acceptedCount).toBeGreaterThan(acceptedCount);
    });
    await replica.refuse();
    expectAll(await world.everyCall(3), 200);
    await replica.accept();
  });
});
