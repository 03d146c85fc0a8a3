import { rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import {
  describeWithOpenssl,
  makeCertificate,
  type ServerCertificate,
} from '../../setup/certificates.js';
import { eventually } from '../../setup/eventually.js';
import { call, cookie, LIST } from '../../setup/http-call.js';
import { describeWithRedis, RedisServer } from '../../setup/redis-server.js';
import { readersWithoutTimeLimit } from '../../setup/readers-without-time-limit.js';
import { runInProcess } from '../../setup/run-command.js';
import { startProcess } from '../../setup/start-process.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';
import { TestService } from '../../setup/test-service.js';
import { TlsCluster, withVerification } from '../../setup/tls-cluster.js';
import { callTimed, expectEveryResponse, WorldWithProxy } from '../../setup/world-with-proxy.js';
import { portOf } from '../../setup/tcp-proxy.js';
import { World } from '../../setup/world.js';
import { serverConnections, slowReads } from '../../setup/slow-reads.js';

/** The bytes that a PostgreSQL client sends before a TLS handshake. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

describeWithOpenssl('a PostgreSQL that accepts only TLS', () => {
  let directory: string;
  let trusted: ServerCertificate;
  let other: ServerCertificate;
  let cluster: TlsCluster;

  beforeAll(async () => {
    directory = temporaryDirectory('certificates');
    trusted = makeCertificate(directory, 'trusted');
    other = makeCertificate(directory, 'other');
    cluster = await TlsCluster.start(trusted);
  });
  afterAll(async () => {
    await cluster.remove();
    rmSync(directory, { recursive: true });
  });

  const wrongAuthority = (): string => withVerification(cluster.plainUrl, other.ca);

  it('serves both principals from a primary and a replica, and takes the migrations', async () => {
    const { url } = cluster.database;
    const env = { DATABASE_URL: url, DATABASE_REPLICA_URL: url };
    const world = await WorldWithProxy.open({ database: cluster.database, env });
    expectEveryResponse(await world.callEveryEndpoint(3), 200);
    const connections = await cluster.database.query<{ name: string; isEncrypted: boolean }>(
      `SELECT DISTINCT application_name AS name, ssl AS "isEncrypted"
       FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
       WHERE application_name LIKE 'deal-sets %' ORDER BY 1`,
    );
    await world.stop();
    expect(connections).toEqual([
      { name: 'deal-sets assistant reads', isEncrypted: true },
      { name: 'deal-sets session reads', isEncrypted: true },
      { name: 'deal-sets sign-in', isEncrypted: true },
    ]);
    const { exitCode, stderr } = await runInProcess(['migrate'], { env });
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^No migration was pending/)]);
  });

  it('receives the request to cancel a statement over TLS', async () => {
    const proxy = await startTlsOnlyProxy(portOf(cluster.plainUrl));
    const { port } = proxy.address() as AddressInfo;
    const url = Object.assign(new URL(cluster.database.url), { port: String(port) }).href;
    // Only the request ends the statements of these logins.
    const readers = await readersWithoutTimeLimit({ ...cluster.database, url });
    const world = await WorldWithProxy.open({
      database: cluster.database,
      env: {
        DATABASE_URL: undefined,
        ...readers,
        REQUEST_DEADLINE_MS: '2000',
      },
    });
    try {
      await world.recover();
      await slowReads(cluster.database, 600);
      const [, sessionGet] = world.calls;
      expect(await callTimed(world.service, sessionGet)).toMatchObject({ status: 503 });
      await eventually(async () =>
        expect(await serverConnections(cluster.database)).toMatchObject({ active: 0 }),
      );
    } finally {
      // A statement that still runs would block the next one.
      await cluster.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'deal-sets %'`,
      );
      await cluster.database.query('DROP POLICY IF EXISTS slow ON deal_sets.deal_set');
      await cluster.database.query('ALTER TABLE deal_sets.deal_set DISABLE ROW LEVEL SECURITY');
      await world.stop();
      proxy.close();
    }
  });

  it('is unreachable with another authority, which the log reports with the code, and a command with the advice', async () => {
    const env = { DATABASE_URL: wrongAuthority() };
    const service = await TestService.start({ database: cluster.database, env });
    const { status, text } = await service.send('GET', '/health/ready', undefined);
    const lines = service.logLines.filter((line) => line.includes('database_unreachable'));
    await service.stop();
    expect([status, text]).toEqual([503, expect.stringContaining('"database_unreachable"')]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        msg: 'database unreachable, responding with 503: check DATABASE_URL',
        causes: [expect.stringMatching(/ (SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/)],
      }),
    ]);
    expect(await runInProcess(['migrate', '--check'], { env })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'The certificate of the database server is not signed by a trusted authority: correct sslrootcert in its address.\n',
    });
  });

  it('rejects an address without TLS, and the command names the missing mode', async () => {
    const env = { DATABASE_URL: cluster.plainUrl };
    const { exitCode, stderr } = await runInProcess(['migrate', '--check'], { env });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/sslmode=verify-full/)]);
  });

  it('names a missing certificate file', async () => {
    const missing = path.join(directory, 'missing.pem');
    const env = { DATABASE_URL: withVerification(cluster.plainUrl, missing) };
    const { exitCode, stderr } = await runInProcess(['serve'], { env });
    expect([exitCode, stderr]).toEqual([1, `${missing}: There is no such file: check the path.\n`]);
  });

  it.each(['prefer', 'require', 'verify-ca'])(
    'is verified with sslmode=%s, as the driver does',
    async (mode) => {
      const unverified = new URL(wrongAuthority());
      unverified.searchParams.set('sslmode', mode);
      const outcome = await runInProcess(['migrate', '--check'], {
        env: { DATABASE_URL: unverified.href },
      });
      expect(outcome).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('is not signed by a trusted authority') as string,
      });
    },
  );
});

describeWithOpenssl('a Redis that accepts only TLS', () => {
  describeWithRedis('used by a service', () => {
    let directory: string;
    let certificate: ServerCertificate;
    let redis: RedisServer;
    let world: World;

    beforeAll(async () => {
      directory = temporaryDirectory('certificates');
      certificate = makeCertificate(directory, 'redis');
      redis = await RedisServer.startWithTls(certificate);
      world = await World.create();
    });
    afterAll(async () => {
      await redis.stop();
      await world.stop();
      rmSync(directory, { recursive: true });
    });

    /** Makes a call, which needs no Redis, and returns how many calls were counted without it. */
    async function fallbacksOf(port: number, managementPort: number): Promise<number> {
      expect((await call(port, LIST, cookie(world.buyer.session.cookie))).status).toBe(200);
      const metrics = await fetch(`http://127.0.0.1:${managementPort}/metrics`);
      const count = /^deal_sets_rate_limit_fallbacks_total (\d+)$/m.exec(await metrics.text());
      return Number(count?.[1]);
    }

    it('counts there, where Node trusts the authority', async () => {
      const service = await startProcess({
        DATABASE_URL: world.database.url,
        REDIS_URL: redis.url,
        NODE_EXTRA_CA_CERTS: certificate.ca,
      });
      expect(await fallbacksOf(service.port, service.managementPort)).toBe(0);
      await service.stop();
    });

    it('is not used where Node does not trust it, and the log has the reason', async () => {
      const port = await freePort();
      const service = await TestService.start({
        database: world.database,
        env: { REDIS_URL: redis.url, MANAGEMENT_PORT: String(port) },
      });
      expect(await fallbacksOf(service.port, port)).toBe(1);
      await service.stop();
      for (const message of ['check REDIS_URL', 'shared rate-limit store unavailable'])
        expect(service.logLines.join('')).toMatch(
          new RegExp(`"errorCode":"(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\\w+)".*${message}`),
        );
    });
  });
});

/** A proxy that accepts only TLS and closes other connections. */
async function startTlsOnlyProxy(target: number): Promise<Server> {
  const server = createServer((near) => {
    near.once('data', (first: Buffer) => {
      if (!first.subarray(0, SSL_REQUEST.length).equals(SSL_REQUEST)) {
        near.destroy();
        return;
      }
      const far = connect(target, '127.0.0.1');
      far.write(first);
      near.pipe(far).pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy()).on('error', () => undefined);
    });
    near.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
