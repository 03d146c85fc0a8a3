import { Client } from 'pg';
import { OwnCluster } from './own-cluster.js';
import { readPostmasterFile } from '../../packages/embedded-postgres/src/cluster.js';
import { buyer, dealership, load, ndjson, priceCheck, signIn } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { runCommand, type CommandOutcome } from '../setup/run-command.js';

const REQUESTS = 20;
/** As `migrate` takes it. */
const MIGRATION_LOCK = '5926417730184220191';

type Buyer = ReturnType<typeof buyer>;

/** A PostgreSQL of its own, which goes away while commands wait for a lock in the middle of their work. */
describe('a command whose database is lost', () => {
  const [anna, ben] = [buyer(), buyer()].sort((a, b) => (a.id < b.id ? -1 : 1)) as [Buyer, Buyer];
  const shop = dealership();
  let cluster: OwnCluster;
  const clients: Client[] = [];

  const run = (args: readonly string[], input = ''): Promise<CommandOutcome> =>
    runCommand(args, { env: { DATABASE_URL: cluster.url }, input });

  beforeAll(async () => {
    cluster = await OwnCluster.start();
    const checks = Array.from({ length: REQUESTS }, () =>
      priceCheck({ buyerId: anna.id, dealershipId: shop.id }),
    );
    const last = priceCheck({ buyerId: ben.id, dealershipId: shop.id });
    await load(cluster, [anna, ben, signIn(anna.id).record, shop, ...checks, last]);
  }, 120_000);
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())));
  afterAll(() => cluster.remove());

  async function connect(): Promise<Client> {
    const client = new Client({ connectionString: cluster.url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }
  /** Holds what each of the commands comes to in the middle of its work. */
  async function holdUp(): Promise<void> {
    const holder = await connect();
    await holder.query(`
      BEGIN;
      SELECT FROM request_feed WHERE buyer_id = '${ben.id}' FOR UPDATE;
      SELECT FROM buyer FOR UPDATE;
      SELECT FROM buyer_session FOR UPDATE;
      LOCK TABLE assistant_grant;
      SELECT pg_advisory_lock(${MIGRATION_LOCK}), pg_advisory_lock(hashtextextended('deal_sets.import', 0))`);
  }
  async function waitUntilHeldUp(count: number): Promise<void> {
    const watcher = await connect();
    await eventually(async () => {
      const { rowCount } = await watcher.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(count);
    }, 30_000);
    // The embedded server confirms commits before they are written.
    await watcher.query('CHECKPOINT');
  }

  it.each([
    [
      'crashes',
      'SIGQUIT',
      'The database cannot be reached: see its log, and start it or repair the network.',
    ],
    ['is stopped', 'SIGINT', 'The database ended the connection: see its log, and try again.'],
  ] as const)(
    'says so in one line when the server %s',
    async (_how, signal, lost) => {
      await holdUp();
      const outcomes = [
        run(['rebuild']),
        run(['import', '-'], ndjson([dealership()])),
        run(['migrate']),
        run(['session', '--buyer', anna.id]),
        run(['erase', '--yes', '--buyer', anna.id]),
        run(['revoke', '--sessions', '--buyer', anna.id]),
        run(['explain', '--buyer', anna.id, '--client', 'assistant-1']),
      ];
      await waitUntilHeldUp(outcomes.length);
      process.kill(readPostmasterFile(cluster.dataDirectory)!.pid, signal);

      const [rebuilt, imported, ...others] = await Promise.all(outcomes);
      expect(rebuilt).toEqual({
        exitCode: 1,
        stdout: '',
        stderr:
          `${lost} 1 buyers, ${REQUESTS} requests were compared. ` +
          'Then run `deal-sets rebuild` again: it goes on, and moves no request a second time.\n',
      });
      expect(imported).toEqual({
        exitCode: 1,
        stdout: '',
        stderr:
          'waiting for another import into this database to finish\n' +
          `${lost} Then import the file again: it is kept whole or not at all, and not twice.\n`,
      });
      for (const outcome of others) {
        expect(outcome).toEqual({ exitCode: 1, stdout: '', stderr: `${lost}\n` });
      }

      await cluster.stop();
      await cluster.start();
      expect(await run(['rebuild'])).toMatchObject({
        exitCode: 0,
        stderr: `Compared ${REQUESTS + 1} requests of 2 buyers: 0 changed and moved in the feed.\n`,
      });
    },
    120_000,
  );
});
