import { request } from 'node:http';
import type { ReadNode } from '../../src/database/cancellable-reads.js';
import { ReadDatabase } from '../../src/database/read-database.js';
import { PRINCIPAL_TYPES } from '../../src/kernel/principal.js';
import { buyer, dealSet, load } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { keepFigure } from '../setup/figures.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { LIST } from '../setup/http-call.js';
import { createFaultWorld, recoveryMs, slowReads, timed, type FaultWorld } from './fault-world.js';
import { describeWithPgBouncer, PgBouncer, PGBOUNCER_VERSION } from './pgbouncer-server.js';

const SERVER_CONNECTIONS = 2;
const SETTINGS = {
  name: 'settings',
  text: `SELECT current_setting('default_transaction_read_only') AS "readOnly", current_setting('statement_timeout') AS "limit",
    current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('timezone') AS zone,
    current_setting('plan_cache_mode') AS plans`,
};

describeWithPgBouncer('a service behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  let world: FaultWorld;

  beforeAll(async () => {
    database = await createTestDatabase();
    const login = (kind: string): { name: string; password: string } => ({
      name: `${kind}_${database.name}`,
      password: `secret-of-${kind}`,
    });
    const [owner, reader, assistant] = [login('owner'), login('reader'), login('assistant')];
    // As docs/operations.md says: logins of their own, with the settings on the logins themselves.
    await database.query(`CREATE ROLE ${owner.name} LOGIN SUPERUSER PASSWORD '${owner.password}'`);
    for (const [{ name, password }, role] of [
      [reader, 'deal_sets_reader'],
      [assistant, 'deal_sets_assistant'],
    ] as const)
      await database.query(`
        CREATE ROLE ${name} LOGIN PASSWORD '${password}' IN ROLE ${role};
        ALTER ROLE ${name} SET default_transaction_read_only = on;
        ALTER ROLE ${name} SET statement_timeout = '8s';
        ALTER ROLE ${name} SET idle_in_transaction_session_timeout = '10s';
        ALTER ROLE ${name} SET timezone = 'UTC';
        ALTER ROLE ${name} SET plan_cache_mode = force_generic_plan`);
    pooler = await PgBouncer.start(database.url, [owner, reader, assistant], SERVER_CONNECTIONS);
    world = await createFaultWorld({
      database,
      env: {
        DATABASE_URL: pooler.through(database.url, owner),
        DATABASE_READER_URL: pooler.through(database.url, reader),
        DATABASE_ASSISTANT_URL: pooler.through(database.url, assistant),
        // PgBouncer knows prepared statements from 1.21 on; Debian 12 has 1.18.
        DATABASE_NAMED_STATEMENTS: 'off',
        REQUEST_DEADLINE_MS: '2000',
      },
    });
  });
  afterAll(async () => {
    await world.stop();
    await world.proxy.stop();
    await pooler.stop();
    const roles = ['owner', 'reader', 'assistant'].map((kind) => `${kind}_${database.name}`);
    await database.query(`DROP ROLE ${roles.join()}`);
    await database.drop();
  });

  it('answers both endpoints for both principals, with far fewer connections to the server', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.calls.map((call) => timed(world.service, call)),
      ).flat(),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
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
    const signal = AbortSignal.timeout(5_000);
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
    const first = await world.service.get<{ data: unknown[] }>(
      `${LIST}?since=1970-01-01T00:00:00Z`,
      world.assistant,
    );
    expect(first.headers['service-more']).toBe('false');
    const asOf = first.headers['service-as-of'] as string;
    const added = dealSet({ buyerId: world.anna.id });
    await load(database, [{ ...buyer({ changesGranted: true }), id: world.anna.id }, added]);
    const next = await world.service.get<{ data: { dealSetId: string }[] }>(
      `${LIST}?since=${asOf}`,
      world.assistant,
    );
    expect(next.body.data.map(({ dealSetId }) => dealSetId)).toContain(added.id);
  });

  it('cancels a read at the deadline and when its client leaves, and no other', async () => {
    const running = async (): Promise<number> => {
      const [row] = await database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND usename ~ '^(reader|assistant)_'`,
      );
      return row!.count;
    };
    await slowReads(database, 20);
    const late = await timed(world.service, world.calls[1]!);
    const cancelledAt = performance.now();
    expect(late).toMatchObject({ status: 503, code: 'unavailable' });
    await eventually(async () => expect(await running()).toBe(0));
    const goneMs = performance.now() - cancelledAt;
    expect(goneMs).toBeLessThan(1_000);

    const sent = request(`${world.service.url}${world.anna.getPath}`, {
      headers: { authorization: `Bearer ${(world.assistant as { token: string }).token}` },
    });
    sent.on('error', () => undefined);
    sent.end();
    await eventually(async () => expect(await running()).toBe(1));
    sent.destroy();
    await eventually(async () => expect(await running()).toBe(0), 1_500);

    await slowReads(database, 0);
    for (const call of world.calls) await recoveryMs(world.service, call);
    keepFigure({
      fault: `read past the deadline behind PgBouncer ${PGBOUNCER_VERSION ?? ''}`,
      answeredMs: late.tookMs,
      note: `statement gone within ${Math.round(goneMs)} ms`,
    });
  });

  it('survives a restart of the server’s connections', async () => {
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND usename ~ '^(reader|assistant)_'`,
    );
    const recoveredMs = await recoveryMs(world.service, world.calls[3]!);
    for (const call of world.calls) await recoveryMs(world.service, call);
    keepFigure({ fault: 'connections killed behind PgBouncer', recoveredMs });
  });
});
