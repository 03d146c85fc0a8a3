import { randomUUID } from 'node:crypto';
import { SessionStore } from '../../../src/auth/session/session-store.js';
import { eventually } from '../../setup/eventually.js';
import { portOf, proxiedUrl, TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { LIST } from '../../setup/http-call.js';
import { TestService } from '../../setup/test-service.js';
import {
  callTimed,
  expectEveryResponse,
  WorldWithProxy,
  type TimedResponse,
} from '../../setup/world-with-proxy.js';

function slowestMs(responses: readonly TimedResponse[]): number {
  return Math.max(...responses.map(({ tookMs }) => tookMs));
}

/** The limit of a read of a replica that does not respond, longer than a read usually takes. */
const REPLICA_MS = 2_000;

/**
 * A primary and a replica, each behind its own proxy. Both are the same server: only which one the
 * service reads from, and what happens when it does not respond, matters here.
 */
describe('a service with a read replica', () => {
  let database: TestDatabase;
  let replica: TcpProxy;
  let world: WorldWithProxy;
  let skippedMs = 0;

  beforeAll(async () => {
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + skippedMs);
    database = await createTestDatabase();
    replica = await TcpProxy.start(portOf(database.url));
    world = await WorldWithProxy.open({
      database,
      env: { DATABASE_REPLICA_URL: proxiedUrl(replica, database.url) },
      limits: { replicaMs: REPLICA_MS },
    });
    await world.callEveryEndpoint(3);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await world.stop();
    await replica.stop();
    await database.drop();
  });

  it('reads deal data from the replica', () => {
    expect(replica.openCount).toBeGreaterThan(0);
  });

  it('cannot authenticate while the primary is lost, and recovers without a restart', async () => {
    await world.proxy.refuse();
    const responses = await world.callEveryEndpoint(3);
    expectEveryResponse(responses, 503, 'auth_unverifiable');
    for (const { headers } of responses) expect(headers['retry-after']).toBeUndefined();
    expectEveryResponse(
      [await callTimed(world.service, { path: LIST, credential: undefined })],
      401,
      'unauthenticated',
    );
    await world.proxy.accept();
    await world.recover();
    expectEveryResponse(await world.callEveryEndpoint(3), 200);
  });

  it('responds with unavailable for a deal set that the replica lacks while the primary is lost', async () => {
    // Sign-in must not need the primary here.
    const { id: buyerId, session: credential, getPath } = world.buyer;
    const session = { buyerId, expiresAt: new Date('2999-01-01'), revokedAt: null };
    const sessions: SessionStore = { find: () => Promise.resolve(session) };
    const service = await TestService.start({
      database,
      hostOptions: { providers: [{ provide: SessionStore, useValue: sessions }] },
      env: {
        DATABASE_URL: proxiedUrl(world.proxy, database.url),
        DATABASE_REPLICA_URL: proxiedUrl(replica, database.url),
      },
    });
    const missing = { path: `${LIST}/${randomUUID()}`, credential };
    const known = { path: getPath, credential };
    try {
      expectEveryResponse([await callTimed(service, missing)], 404, 'not_found');
      await world.proxy.refuse();
      const responses = [
        await callTimed(service, missing),
        await callTimed(service, known),
      ] as const;
      await world.proxy.accept();
      expectEveryResponse([responses[0]], 503, 'unavailable');
      expectEveryResponse([responses[1]], 200);
      await eventually(async () => {
        expectEveryResponse([await callTimed(service, missing)], 404, 'not_found');
      });
    } finally {
      await service.stop();
      await world.recover();
    }
  });

  it('falls back to the primary after two seconds when the replica is silent, and then at once', async () => {
    await eventually(async () => {
      // A busy machine may have been late before: then the service reads from the primary for five
      // seconds.
      skippedMs += 5_000;
      replica.heal();
      expectEveryResponse(await world.callEveryEndpoint(), 200);
      replica.blackhole();
      const responses = await world.callEveryEndpoint(3);
      expectEveryResponse(responses, 200);
      expect(slowestMs(responses)).toBeGreaterThan(REPLICA_MS - 50);
    });
    const { acceptedCount } = replica;
    expectEveryResponse(await world.callEveryEndpoint(3), 200);
    expect(replica.acceptedCount).toBe(acceptedCount);
    replica.heal();
  });

  it('returns to the replica five seconds later, and uses the primary when the replica refuses connections', async () => {
    const { acceptedCount } = replica;
    await eventually(async () => {
      skippedMs += 5_000;
      expectEveryResponse(await world.callEveryEndpoint(3), 200);
      expect(replica.acceptedCount).toBeGreaterThan(acceptedCount);
    });
    await replica.refuse();
    expectEveryResponse(await world.callEveryEndpoint(3), 200);
    await replica.accept();
  });

  it('leaves time for the primary when the deadline is as short as the limit of the replica', async () => {
    const service = await TestService.start({
      database,
      issuer: world.issuer,
      env: {
        DATABASE_REPLICA_URL: proxiedUrl(replica, database.url),
        REQUEST_DEADLINE_MS: String(REPLICA_MS),
      },
      // The end of the service waits for a connection to the silent replica.
      limits: { replicaMs: REPLICA_MS, databaseConnectionMs: 10_000 },
    });
    try {
      const call = { path: LIST, credential: world.buyer.session };
      expectEveryResponse([await callTimed(service, call)], 200);
      replica.blackhole();
      expectEveryResponse([await callTimed(service, call)], 200);
    } finally {
      replica.heal();
      await service.stop();
    }
  });
});
