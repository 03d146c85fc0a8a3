import { chmodSync, rmSync } from 'node:fs';
import { Client } from 'pg';
import { writerDataSource } from '../../src/database/data-source.js';
import { DatabaseHealth } from '../../src/database/database-health.js';
import { EmbeddedPostgres } from '../../packages/embedded-postgres/src/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import type { ReadDatabase } from '../../src/database/read-database.js';
import { eventually } from '../setup/eventually.js';
import { readsOn } from '../setup/reads-on.js';
import { TcpProxy } from '../setup/tcp-proxy.js';
import { temporaryDirectory } from '../setup/test-cluster.js';
import { endsAfter, readAsSession } from './read-suite.js';

const SERVER = {
  name: 'server',
  text: `SELECT current_setting('application_name') AS name, inet_server_port() AS port`,
};

/** A PostgreSQL of its own, behind a proxy, to be stopped, restarted and cut off. */
describe('the read database, when its server fails', () => {
  let directory: string;
  let server: EmbeddedPostgres;
  let proxy: TcpProxy;
  let url: string;
  const opened: ReadDatabase[] = [];

  const start = (): Promise<EmbeddedPostgres> =>
    EmbeddedPostgres.attachOrStart({ directory, isThrowAway: true });
  const portOf = (address: string): number => Number(new URL(address).port);
  const through = (aProxy: TcpProxy): string =>
    Object.assign(new URL(server.url), { port: String(aProxy.port) }).href;

  beforeAll(async () => {
    directory = temporaryDirectory('faults');
    chmodSync(directory, 0o755);
    server = await start();
    const dataSource = await writerDataSource({ url: server.url }).initialize();
    await migrate(dataSource);
    await dataSource.destroy();
    proxy = await TcpProxy.start(portOf(server.url));
    url = through(proxy);
  });
  afterEach(async () => {
    proxy.heal();
    for (const reads of opened.splice(0)) await reads.close();
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function reading(changes: Parameters<typeof readsOn>[1] = {}): Promise<ReadDatabase> {
    const reads = await readsOn(url, { poolSize: 4, ...changes });
    opened.push(reads);
    return reads;
  }

  const ask = (reads: ReadDatabase, budgetMs?: number): Promise<{ port: number }[]> =>
    readAsSession(
      reads,
      (node, signal) => node.query<{ port: number }>(SERVER, [], signal),
      budgetMs,
    );

  it('answers again by itself after a restart under load', async () => {
    const reads = await reading();
    await Promise.all([1, 2, 3, 4].map(() => ask(reads)));
    const outcomes: string[] = [];
    let isDone = false;
    const load = async (): Promise<void> => {
      while (!isDone) {
        outcomes.push(
          await ask(reads, 1000).then(
            () => 'answered',
            (error: unknown) => (error as { code?: string }).code ?? 'a failure without a code',
          ),
        );
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    const loads = [load(), load(), load()];
    await server.stop();
    await eventually(() => expect(outcomes).toContain('unavailable'));
    server = await start();
    proxy.target = portOf(server.url);
    await eventually(async () => expect(await ask(reads)).toHaveLength(1));
    const answeredFrom = outcomes.length;
    await eventually(() => expect(outcomes.slice(answeredFrom)).toContain('answered'));
    isDone = true;
    await Promise.all(loads);
    expect([...new Set(outcomes)].sort()).toEqual(['answered', 'unavailable']);
  });

  it('keeps the deadline in a partition, and works once that has healed', async () => {
    const reads = await reading();
    await Promise.all([1, 2, 3, 4].map(() => ask(reads)));
    proxy.partition();
    const startedAt = performance.now();
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map(() => ask(reads, 500)));
    expect(performance.now() - startedAt).toBeLessThan(1500);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    proxy.heal();
    await eventually(async () => expect(await ask(reads, 1000)).toHaveLength(1));
    await Promise.all([1, 2, 3, 4].map(() => ask(reads)));
  });

  it('stops a statement that its cancel request overtook', async () => {
    const reads = await reading({ poolSize: 1 });
    await ask(reads);
    proxy.hold();
    const signal = endsAfter(200);
    const late = { name: 'late', text: `SELECT pg_sleep(8) /* overtaken */` };
    await expect(
      reads.read('session', signal, (node) => node.query(late, [], signal)),
    ).rejects.toMatchObject({ code: 'unavailable' });
    // The first request finds nothing to cancel; then the statement arrives.
    await new Promise((resolve) => setTimeout(resolve, 60));
    proxy.heal();
    const probe = new Client({ connectionString: server.url });
    await probe.connect();
    const running = async (): Promise<number> => {
      const { rowCount } = await probe.query(
        `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%overtaken%' AND pid <> pg_backend_pid()`,
      );
      return rowCount ?? 0;
    };
    // Left alone it would run for eight seconds.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await eventually(async () => expect(await running()).toBe(0), 2_000);
    await probe.end();
  });

  it('starts while the database is down, and recovers alone', async () => {
    const running = server;
    await running.stop();
    const reads = await reading();
    const health = new DatabaseHealth(reads);
    await expect(ask(reads)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await health.check()).toEqual({
      reason: 'database_unreachable',
      needsRebuild: false,
    });

    server = await start();
    proxy.target = portOf(server.url);
    await eventually(async () => expect(await ask(reads)).toHaveLength(1));
    await eventually(async () => expect(await health.check()).toEqual({ needsRebuild: false }));
  });

  it.each([
    ['a role', 'ALTER ROLE deal_sets_reader RENAME TO lost_role'],
    ['a grant', 'REVOKE SELECT (rules_hash) ON schema_code FROM deal_sets_reader'],
  ])('says that %s is missing, until `migrate` makes it again', async (_what, sql) => {
    const owner = new Client({ connectionString: server.url });
    await owner.connect();
    await owner.query(sql);
    const reads = await readsOn(server.url);
    opened.push(reads);
    expect(await new DatabaseHealth(reads).check()).toMatchObject({ reason: 'roles_missing' });
    const dataSource = await writerDataSource({ url: server.url }).initialize();
    await migrate(dataSource);
    await dataSource.destroy();
    await owner.end();
    await eventually(async () =>
      expect(await new DatabaseHealth(reads).check()).toEqual({ needsRebuild: false }),
    );
  });

  it('distinguishes a database without migrations from one that is away', async () => {
    const empty = await EmbeddedPostgres.attachOrStart({ directory, database: 'empty' });
    const reads = await readsOn(empty.url);
    opened.push(reads);
    expect(await new DatabaseHealth(reads).check()).toEqual({
      reason: 'migrations_pending',
      needsRebuild: false,
    });
  });

  describe('with a replica', () => {
    let replica: TcpProxy;
    let replicaUrl: string;

    beforeEach(async () => {
      // A stand-in: what matters here is which server is asked.
      replica = await TcpProxy.start(portOf(server.url));
      replicaUrl = through(replica);
      proxy.target = portOf(server.url);
    });
    afterEach(() => replica.stop());

    const nodes = async (reads: ReadDatabase, times: number): Promise<boolean[]> => {
      const seen: boolean[] = [];
      for (let i = 0; i < times; i++) {
        const { signal } = new AbortController();
        seen.push(
          await reads.read('assistant', signal, async (node) => {
            await node.query(SERVER, [], signal);
            return node.isReplica;
          }),
        );
      }
      return seen;
    };

    it('reads deal data from the replica, and goes on doing so without the primary', async () => {
      const reads = await reading({ replicaUrl });
      expect(await nodes(reads, 4)).toEqual([true, true, true, true]);
      proxy.partition();
      proxy.cut();
      expect(await nodes(reads, 4)).toEqual([true, true, true, true]);
      const signal = endsAfter(300);
      await expect(reads.signIn.query(SERVER, [], signal)).rejects.toMatchObject({
        code: 'unavailable',
      });
    });

    it('goes to the primary when the replica is lost, and back once it is there again', async () => {
      const reads = await reading({ replicaUrl });
      await nodes(reads, 4);
      replica.partition();
      replica.cut();
      expect(await nodes(reads, 4)).toEqual([false, false, false, false]);
      replica.heal();
      await eventually(async () => expect(await nodes(reads, 1)).toEqual([true]), 5000);
    });
  });
});
