import { Client } from 'pg';
import { readPostmasterFile } from '../../../packages/embedded-postgres/src/cluster.js';
import { DatabaseHealth } from '../../../src/database/database-health.js';
import { TIME_LIMITS } from '../../../src/kernel/time-limits.js';
import { buyer, dealership, load, ndjson, priceCheck, signIn } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { OwnCluster } from '../../setup/own-cluster.js';
import { readsOn } from '../../setup/reads-on.js';
import { runCommand, type CommandOutcome } from '../../setup/run-command.js';
import { portOf, TcpProxy } from '../../setup/tcp-proxy.js';
import { expectEveryResponse, WorldWithProxy } from '../../setup/world-with-proxy.js';
import { LoadGenerator } from '../../setup/load-generator.js';

let cluster: OwnCluster;
beforeAll(async () => {
  cluster = await OwnCluster.start();
});
afterAll(() => cluster.remove());

/**
 * A separate PostgreSQL, which stops while commands wait for a lock in the middle of their work.
 */
describe('a command whose database is lost', () => {
  const REQUESTS = 20;
  /** The lock that `migrate` takes. */
  const MIGRATION_LOCK = '5926417730184220191';
  const [anna, ben] = [buyer(), buyer()].sort((a, b) => (a.id < b.id ? -1 : 1)) as [
    ReturnType<typeof buyer>,
    ReturnType<typeof buyer>,
  ];
  const shop = dealership();
  const clients: Client[] = [];

  const run = (args: readonly string[], input = ''): Promise<CommandOutcome> =>
    runCommand(args, { env: { DATABASE_URL: cluster.url }, input });

  beforeAll(async () => {
    const checks = Array.from({ length: REQUESTS }, () =>
      priceCheck({ buyerId: anna.id, dealershipId: shop.id }),
    );
    const last = priceCheck({ buyerId: ben.id, dealershipId: shop.id });
    await load(cluster, [anna, ben, signIn(anna.id).record, shop, ...checks, last]);
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())));

  async function connect(): Promise<Client> {
    const client = new Client({ connectionString: cluster.url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }
  /** Locks what each of the commands needs in the middle of its work. */
  async function lockWorkOfCommands(): Promise<void> {
    const holder = await connect();
    await holder.query(`
      BEGIN;
      SELECT FROM deal_sets.request_feed WHERE buyer_id = '${ben.id}' FOR UPDATE;
      SELECT FROM deal_sets.buyer FOR UPDATE;
      SELECT FROM deal_sets.buyer_session FOR UPDATE;
      LOCK TABLE deal_sets.assistant_grant;
      SELECT pg_advisory_lock(${MIGRATION_LOCK}), pg_advisory_lock(hashtextextended('deal_sets.import', 0))`);
  }
  async function waitForLockWaits(count: number): Promise<void> {
    const watcher = await connect();
    await eventually(async () => {
      const { rowCount } = await watcher.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(count);
    });
    // The embedded server confirms commits before they are written.
    await watcher.query('CHECKPOINT');
  }

  it.each([
    [
      'crashes',
      'SIGQUIT',
      'The database cannot be reached: see its log, and start it or repair the network.',
      [
        ['migrate'],
        ['session', '--buyer', anna.id],
        ['erase', '--yes', '--buyer', anna.id],
        ['revoke', '--sessions', '--buyer', anna.id],
      ],
    ],
    [
      'is stopped',
      'SIGINT',
      'The database ended the connection: see its log, and try again.',
      // One of the commands above, which print the text of an error from one place.
      [['migrate']],
    ],
  ] as const)('reports in one line that the server %s', async (_how, signal, lost, plain) => {
    await lockWorkOfCommands();
    const outcomes = [
      run(['rebuild']),
      run(['import', '-'], ndjson([dealership()])),
      ...plain.map((args) => run(args)),
    ];
    await waitForLockWaits(outcomes.length);
    process.kill(readPostmasterFile(cluster.dataDirectory)!.pid, signal);

    const [rebuilt, imported, ...others] = await Promise.all(outcomes);
    const failed = (stderr: string): CommandOutcome => ({ exitCode: 1, stdout: '', stderr });
    expect(rebuilt).toMatchObject({ exitCode: 1, stdout: '' });
    expect(rebuilt!.stderr).toContain(
      `\n${lost} ${REQUESTS} requests compared, 0 stamped, 1 of 2 buyers are done. To continue, run \`deal-sets rebuild\`.\n`,
    );
    expect(imported).toEqual(
      failed(
        'waiting for another import into this database to finish\n' +
          `${lost} Then import the file again: an import is stored completely or not at all, and repeating it is safe.\n`,
      ),
    );
    for (const outcome of others) expect(outcome).toEqual(failed(`${lost}\n`));

    await cluster.stop();
    await cluster.start();
    expect(await run(['rebuild'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(
        `\nCompared ${REQUESTS + 1} requests of 2 buyers: 0 got a new stamp.\n`,
      ) as string,
    });
  });
});

describe('a service whose database server is restarted', () => {
  let proxy: TcpProxy;
  beforeAll(async () => {
    proxy = await TcpProxy.start(portOf(cluster.url));
  });
  afterAll(() => proxy.stop());

  it('works again without an operator, under load', async () => {
    const world = await WorldWithProxy.open({ database: cluster.database, proxy });
    await world.callEveryEndpoint(2);
    const load = new LoadGenerator(world, 8);
    const codes = (): unknown[] => load.responses.map(({ code }) => code);
    await eventually(() => expect(codes().length).toBeGreaterThan(8));
    await cluster.stop();
    await eventually(() => expect(codes()).toContain('auth_unverifiable'));
    await cluster.start();
    proxy.target = portOf(cluster.url);
    await world.recover();
    await eventually(() => expectEveryResponse(load.responses.slice(-8), 200));
    await load.stop();
    expect([undefined, 'unavailable', 'auth_unverifiable']).toEqual(
      expect.arrayContaining(codes()),
    );
    await world.stop();
  });

  it('may start before its database server', async () => {
    await proxy.refuse();
    // The buyer is loaded past the proxy.
    const world = await WorldWithProxy.open({ database: cluster.database, proxy });
    const health = async (which: string): Promise<number> =>
      (await world.service.send('GET', `/health/${which}`, undefined)).status;
    expect([await health('live'), await health('ready')]).toEqual([200, 503]);
    const responses = await world.callEveryEndpoint();
    expectEveryResponse(responses, 503, 'auth_unverifiable');
    for (const { headers } of responses) expect(headers['retry-after']).toBeUndefined();
    await proxy.accept();
    await world.recover();
    await eventually(async () => expect(await health('ready')).toBe(200));
    await world.stop();
  });

  it('reports that a role is missing until `migrate` creates it again', async () => {
    await cluster.database.query('ALTER ROLE deal_sets_reader RENAME TO lost_role');
    const reads = await readsOn(cluster.url);
    const health = (): Promise<object> => new DatabaseHealth(reads, TIME_LIMITS).check();
    expect(await health()).toMatchObject({ reason: 'roles_missing' });
    await cluster.migrate();
    await eventually(async () => expect(await health()).toEqual({ needsRebuild: false }));
    await reads.close();
  });
});
