import { Client } from 'pg';
import { buyer, dealership, load, priceCheck } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { runCommand, type CommandOutcome } from '../setup/run-command.js';
import { crashNode, restartNode } from './cluster/crash-node.js';
import {
  createDistributedDatabase,
  type DistributedDatabase,
} from './cluster/distributed-database.js';
import { describeWithCitus } from './cluster/describe-with-citus.js';
import { workerOf } from './cluster/shards.js';

const REQUESTS = 3;

describeWithCitus('a coordinator that is lost during a rebuild', () => {
  const people = Array.from({ length: 16 }, () => buyer());
  let database: DistributedDatabase;

  beforeAll(async () => {
    database = await createDistributedDatabase();
    const shop = dealership();
    const checks = people.flatMap(({ id: buyerId }) =>
      Array.from({ length: REQUESTS }, () => priceCheck({ buyerId, dealershipId: shop.id })),
    );
    await load(database, [...people, shop, ...checks]);
    await database.query('UPDATE request_feed SET rules_revision = 0, written = 7');
    await database.query('UPDATE rules_in_use SET revision = 0');
  }, 180_000);
  afterAll(() => database.drop());

  const command = (): Promise<CommandOutcome> =>
    runCommand(['rebuild'], { env: { DATABASE_URL: database.url } });

  it('is named by the command, which goes on when it is run again', async () => {
    // The sets of shards in the order in which a rebuild goes through them; it waits in the second.
    const sets = await database.query<{ shard: string; ids: string[] }>(
      `SELECT get_shard_id_for_distribution_column('buyer', id)::text AS shard, array_agg(id::text) AS ids
       FROM unnest($1::uuid[]) AS id GROUP BY 1 ORDER BY min(get_shard_id_for_distribution_column('buyer', id))`,
      [people.map(({ id }) => id)],
    );
    const [first, second] = sets as [(typeof sets)[0], (typeof sets)[0]];
    const holder = new Client({ connectionString: await workerOf(database, second.ids[0]!) });
    await holder.connect();
    await holder.query(
      `SELECT pg_advisory_lock(hashtextextended('feed of deal_sets_shard_' || $1::text, 0))`,
      [second.shard],
    );
    const outcome = command();
    await eventually(async () => {
      const waiting = await holder.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
      );
      expect(waiting.rows).toHaveLength(1);
    }, 60_000);
    const coordinator = database.nodes[0]!;
    await crashNode(coordinator);
    await holder.end();
    const total = people.length * REQUESTS;
    const before = first.ids.length * REQUESTS;
    expect(await outcome).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'The database cannot be reached: see its log, and start it or repair the network. ' +
        `${before} of ${total} requests were rebuilt. ` +
        'Then run `deal-sets rebuild` again: it goes on with those that are left.\n',
    });
    await restartNode(coordinator);
    const left = total - before;
    expect((await command()).stderr).toBe(
      `Rebuilt ${left} requests: ${left} changed and moved in the feed.\n`,
    );
  }, 120_000);
});
