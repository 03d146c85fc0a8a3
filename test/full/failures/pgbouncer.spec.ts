import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import path from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import type { ReadNode } from '../../../src/database/cancellable-reader.js';
import { ReadDatabase } from '../../../src/database/read-database.js';
import { PRINCIPAL_TYPES } from '../../../src/kernel/principal.js';
import { buyer, dealSet, load } from '../../builders/index.js';
import { makeCertificate } from '../../setup/certificates.js';
import { describeWith, findProgram } from '../../setup/describe-with.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';
import { signInHeaders } from '../../setup/test-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TlsCluster, withVerification } from '../../setup/tls-cluster.js';
import { callTimed, expectEveryResponse, WorldWithProxy } from '../../setup/world-with-proxy.js';
import { portOf } from '../../setup/tcp-proxy.js';
import { slowReads } from '../../setup/slow-reads.js';

/** Debian installs it in a folder that is not on every path. */
const PROGRAM = findProgram('pgbouncer', '/usr/sbin/pgbouncer');
const SERVER_CONNECTIONS = 2;
const SETTINGS = {
  name: 'settings',
  text: `SELECT current_setting('default_transaction_read_only') AS "readOnly", current_setting('statement_timeout') AS "limit",
    current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('timezone') AS zone,
    current_setting('plan_cache_mode') AS plans`,
};

/** PgBouncer refuses to run as root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const passwd = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = passwd.find((line) => line.startsWith('nobody:'))?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** Starts PgBouncer with a configuration file. The caller stops it. */
async function startPooler(config: string, url: string): Promise<ChildProcess> {
  const pooler = spawn(PROGRAM!, [config], { ...account(), stdio: 'ignore' });
  await eventually(async () => {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    await client.end();
  }).catch((error: unknown) => {
    pooler.kill('SIGKILL');
    throw new Error('PgBouncer did not start', { cause: error });
  });
  return pooler;
}

describeWith(PROGRAM, 'pgbouncer', 'a service behind PgBouncer in transaction mode', () => {
  const directory = temporaryDirectory('pgbouncer');
  let database: TestDatabase;
  let pooler: ChildProcess;
  let world: WorldWithProxy;

  beforeAll(async () => {
    database = await createTestDatabase();
    const port = await freePort();
    const { name } = database;
    const url = (kind: string): string =>
      Object.assign(new URL(database.url), {
        port: String(port),
        username: `${kind}_${name}`,
        password: kind,
      }).href;
    // Separate logins with their own settings, as deploy/logins.sql creates them.
    await database.query(`CREATE ROLE owner_${name} LOGIN SUPERUSER PASSWORD 'owner'`);
    for (const kind of ['reader', 'assistant'])
      await database.query(`
        CREATE ROLE ${kind}_${name} LOGIN PASSWORD '${kind}' IN ROLE deal_sets_${kind};
        ALTER ROLE ${kind}_${name} SET default_transaction_read_only = on;
        ALTER ROLE ${kind}_${name} SET statement_timeout = '8s';
        ALTER ROLE ${kind}_${name} SET idle_in_transaction_session_timeout = '10s';
        ALTER ROLE ${kind}_${name} SET timezone = 'UTC';
        ALTER ROLE ${kind}_${name} SET plan_cache_mode = force_generic_plan`);
    // The account that PgBouncer runs as must be able to read its files.
    chmodSync(directory, 0o755);
    const users = path.join(directory, 'users.txt');
    const kinds = ['owner', 'reader', 'assistant'];
    writeFileSync(users, kinds.map((kind) => `"${kind}_${name}" "${kind}"\n`).join(''));
    const config = path.join(directory, 'pgbouncer.ini');
    const { hostname, port: serverPort } = new URL(database.url);
    writeFileSync(
      config,
      `[databases]
${name} = host=${hostname} port=${serverPort} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
`,
    );
    pooler = await startPooler(config, url('owner'));
    world = await WorldWithProxy.open({
      database,
      env: {
        DATABASE_URL: url('owner'),
        DATABASE_READER_URL: url('reader'),
        DATABASE_ASSISTANT_URL: url('assistant'),
        // PgBouncer supports prepared statements from 1.21 on; Debian 12 has 1.18.
        DATABASE_NAMED_STATEMENTS: 'off',
        REQUEST_DEADLINE_MS: '3000',
      },
    });
  });
  afterAll(async () => {
    await world.stop();
    pooler.kill('SIGKILL');
    await once(pooler, 'exit');
    rmSync(directory, { recursive: true, force: true });
    const { name } = database;
    await database.query(`DROP ROLE owner_${name}, reader_${name}, assistant_${name}`);
    await database.drop();
  });

  it('serves both endpoints to both principals, with far fewer connections to the server', async () => {
    // A busy machine may take longer than the deadline to make the first connections.
    await eventually(async () => expectEveryResponse(await world.callEveryEndpoint(10), 200));
    const servers = await database.query<{ role: string; count: number }>(
      `SELECT usename AS role, count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND usename ~ '^(reader|assistant)_' GROUP BY 1 ORDER BY 1`,
    );
    expect(servers.map(({ role }) => role.split('_')[0])).toEqual(['assistant', 'reader']);
    for (const { count } of servers) expect(count).toBeLessThanOrEqual(SERVER_CONNECTIONS);
    expect((await world.service.send('GET', '/health/ready', undefined)).status).toBe(200);
  });

  it('reads with the limits of its logins on every pool', async () => {
    const reads = world.service.app.get(ReadDatabase, { strict: false });
    const signal = AbortSignal.timeout(60_000);
    const settings = async (node: ReadNode): Promise<object | undefined> =>
      (await node.query<object>(SETTINGS, [], signal))[0];
    const limits = { readOnly: 'on', limit: '8s', idle: '10s', zone: 'UTC' };
    const expected = { ...limits, plans: 'force_generic_plan' };
    expect(await settings(reads.signIn)).toEqual(expected);
    for (const type of PRINCIPAL_TYPES) {
      expect(await reads.read(type, signal, settings)).toEqual(expected);
    }
  });

  it('keeps the feed: a new request comes with the next poll', async () => {
    const poll = (since: string) =>
      world.service.get<{ data: { dealSetId: string }[] }>(
        `${LIST}?since=${since}`,
        world.buyer.assistant,
      );
    const { headers } = await poll('1970-01-01T00:00:00Z');
    expect(headers['service-more']).toBe('false');
    const added = dealSet({ buyerId: world.buyer.id });
    await load(database, [{ ...buyer({ changesGranted: true }), id: world.buyer.id }, added]);
    const next = await poll(headers['service-as-of'] as string);
    expect(next.body.data.map(({ dealSetId }) => dealSetId)).toContain(added.id);
  });

  /** Changes the limit of the logins, and makes the pooler open new connections. */
  async function setStatementTimeout(limit: string): Promise<void> {
    for (const kind of ['reader', 'assistant'])
      await database.query(
        `ALTER ROLE ${kind}_${database.name} SET statement_timeout = '${limit}'`,
      );
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND usename ~ '^(reader|assistant)_'`,
    );
    await world.recover();
  }

  it('cancels a read at the deadline and when its client disconnects, and no other read', async () => {
    const untilRunning = (count: number): Promise<void> =>
      eventually(async () => {
        const running = await database.query(
          `SELECT FROM pg_stat_activity
           WHERE datname = current_database() AND state = 'active' AND usename ~ '^(reader|assistant)_'`,
        );
        expect(running).toHaveLength(count);
      });
    // PostgreSQL's own limit would end a statement that is not cancelled.
    await setStatementTimeout('0');
    await slowReads(database, 600);
    expectEveryResponse([await callTimed(world.service, world.calls[1])], 503, 'unavailable');
    await untilRunning(0);

    const agent = new Agent();
    const headers = signInHeaders(world.buyer.assistant);
    const left = world.service.call(world.buyer.getPath, { headers, agent });
    left.catch(() => undefined);
    await untilRunning(1);
    agent.destroy();
    await untilRunning(0);
    await slowReads(database, 0);
    await setStatementTimeout('8s');
  });

  it('survives a restart of the server’s connections', async () => {
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND usename ~ '^(reader|assistant)_'`,
    );
    await world.recover();
  });
});

/** The configuration, which an operator completes with names and paths. */
const DOCUMENTED = readFileSync(path.join(__dirname, '../../../deploy/pgbouncer.ini'), 'utf8');

describeWith(
  PROGRAM && findProgram('openssl'),
  'pgbouncer or openssl',
  'a service behind PgBouncer with deploy/pgbouncer.ini, with a PostgreSQL that accepts only TLS',
  () => {
    let directory: string;
    let cluster: TlsCluster;
    let pooler: ChildProcess | undefined;
    let world: WorldWithProxy | undefined;
    /** The address of the pooler for a login, without TLS. */
    let poolerUrl: (kind: string) => string;

    beforeAll(async () => {
      directory = temporaryDirectory('pgbouncer-tls');
      chmodSync(directory, 0o755);
      const ofServer = makeCertificate(directory, 'server');
      const ofPooler = makeCertificate(directory, 'pooler');
      chmodSync(ofPooler.key, 0o644);
      cluster = await TlsCluster.start(ofServer);
      const { database } = cluster;
      for (const kind of ['reader', 'assistant'])
        await database.query(
          `CREATE ROLE pooled_${kind} LOGIN PASSWORD 'word' IN ROLE deal_sets_${kind}`,
        );
      const users = path.join(directory, 'userlist.txt');
      const logins = await database.query<{ line: string }>(
        `SELECT format('"%s" "%s"', rolname, rolpassword) AS line FROM pg_authid
         WHERE rolname ~ '^pooled_'`,
      );
      writeFileSync(users, logins.map(({ line }) => `${line}\n`).join(''));
      const port = await freePort();
      const config = path.join(directory, 'pgbouncer.ini');
      const replaced: readonly (readonly [string, string])[] = [
        ['host=primary.example.com', `host=localhost port=${portOf(cluster.plainUrl)}`],
        ['deal_sets = ', `${database.name} = `],
        ['dbname=deal_sets', `dbname=${database.name}`],
        ['listen_addr = 10.0.0.21', 'listen_addr = 127.0.0.1\nunix_socket_dir ='],
        ['listen_port = 6432', `listen_port = ${port}`],
        ['/etc/pgbouncer/userlist.txt', users],
        ['/etc/pgbouncer/postgresql-ca.pem', ofServer.ca],
        ['/etc/pgbouncer/pgbouncer.crt', ofPooler.cert],
        ['/etc/pgbouncer/pgbouncer.key', ofPooler.key],
        // Debian 12 has PgBouncer 1.18, which does not have this setting.
        ['max_prepared_statements = 100\n', ''],
      ];
      let text = DOCUMENTED;
      for (const [from, to] of replaced) {
        expect(text).toContain(from);
        text = text.replace(from, to);
      }
      writeFileSync(config, text);
      poolerUrl = (kind) =>
        Object.assign(new URL(cluster.plainUrl), {
          port: String(port),
          username: `pooled_${kind}`,
          password: 'word',
          pathname: `/${database.name}`,
        }).href;
      const url = (kind: string): string => withVerification(poolerUrl(kind), ofPooler.ca);
      pooler = await startPooler(config, url('reader'));
      world = await WorldWithProxy.open({
        database,
        env: {
          DATABASE_URL: url('reader'),
          DATABASE_READER_URL: url('reader'),
          DATABASE_ASSISTANT_URL: url('assistant'),
          DATABASE_NAMED_STATEMENTS: 'off',
        },
      });
    });
    afterAll(async () => {
      await world?.stop();
      if (pooler) {
        pooler.kill('SIGKILL');
        await once(pooler, 'exit');
      }
      await cluster.remove();
      rmSync(directory, { recursive: true, force: true });
    });

    it('serves both principals, with TLS on both sides of PgBouncer', async () => {
      await world!.recover();
      const { database } = cluster;
      const connections = await database.query<{ role: string; isEncrypted: boolean }>(
        `SELECT DISTINCT usename AS role, ssl AS "isEncrypted"
         FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE usename ~ '^pooled_' ORDER BY 1`,
      );
      expect(connections).toEqual([
        { role: 'pooled_assistant', isEncrypted: true },
        { role: 'pooled_reader', isEncrypted: true },
      ]);
      const withoutTls = new Client({ connectionString: poolerUrl('reader') });
      withoutTls.on('error', () => undefined);
      await expect(withoutTls.connect()).rejects.toThrow('SSL required');
    });
  },
);
