import { worldBuyerId, worldCookie } from '../world/generate-buyer.js';
import { worldText } from '../world/world-generator.js';
import { WORLD_DEFAULTS } from '../world/world-options.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestService, type Credential } from '../setup/test-service.js';
import { runCommand, type CommandOutcome } from '../setup/run-command.js';
import { CitusCluster } from './citus-cluster.js';

const SEED = 'citus';
const LIST = '/api/v1/deal-sets';
const BUYERS = Array.from({ length: 12 }, (_, n) => worldBuyerId(SEED, n));
const [ANNA = '', BEN = '', ERASED = ''] = BUYERS;

/** Every response that the clients of some buyers can request, by target. */
async function everyResponse(service: TestService, database: TestDatabase): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (const [n, buyerId] of BUYERS.entries()) {
    const sets = await database.query<{ id: string }>(
      'SELECT id FROM deal_sets.deal_set WHERE buyer_id = $1 ORDER BY id',
      [buyerId],
    );
    const credentials: Credential[] = [
      { cookie: worldCookie(SEED, n) },
      await service.tokenFor(buyerId, { client_id: 'world-assistant' }),
    ];
    for (const credential of credentials) {
      for (const target of [
        LIST,
        ...['1970-01-01T00:00:00Z', '2026-09-01T00:00:00Z'].map(
          (since) => `${LIST}?since=${since}`,
        ),
        ...sets.map(({ id }) => `${LIST}/${id}`),
      ]) {
        const { status, text } = await service.get(target, credential);
        bodies.push([target, status, text]);
      }
    }
  }
  return bodies;
}

async function responsesOf(database: TestDatabase): Promise<unknown[]> {
  const service = await TestService.start({ database });
  try {
    const ready = await service.call('/health/ready');
    expect([ready.status, ready.text]).toEqual([200, expect.any(String)]);
    return await everyResponse(service, database);
  } finally {
    await service.stop();
  }
}

describe('the documented way onto Citus and back', () => {
  let cluster: CitusCluster;
  let distributed: TestDatabase;
  let plain: TestDatabase;
  let before: unknown[];
  // Words that also occur in listings would look like leaks.
  const world = [...worldText({ ...WORLD_DEFAULTS, seed: SEED, buyers: BUYERS.length })]
    .join('')
    .replaceAll(/"(interiorColor|powertrain)":"(\w+)"/g, '"$1":"$2 inside"');
  const ok = (outcome: CommandOutcome) => {
    if (outcome.exitCode !== 0) throw new Error(outcome.stderr);
    return outcome;
  };
  const onPlain = (args: readonly string[], input = '') =>
    runCommand(args, { env: { DATABASE_URL: plain.url }, input });

  beforeAll(async () => {
    cluster = await CitusCluster.start();
    plain = await createTestDatabase();
    ok(await onPlain(['import', '--backfill', '-'], world));
    before = await responsesOf(plain);
    // The database is migrated and loaded before it is distributed.
    ok(await cluster.run(['migrate']));
    ok(await cluster.run(['import', '--backfill', '-'], world));
  });
  afterAll(async () => {
    await distributed.drop();
    await plain.drop();
    cluster.stop();
  });

  it('starts with a check that names what each node lacks', async () => {
    const { exitCode, stderr } = await cluster.run(['distribute', '--check']);
    expect(exitCode).toBe(1);
    for (const { port } of cluster.nodes) expect(stderr).toContain(`127.0.0.1:${port}: not set:`);
    expect(stderr).toContain('not distributed: buyer,');
  });

  it('creates the logins, distributes, and can be run again', async () => {
    cluster.makeLogins();
    ok(await cluster.run(['distribute']));
    ok(await cluster.run(['distribute']));
    ok(await cluster.run(['distribute', '--check']));
    ok(await cluster.run(['migrate']));
    distributed = await cluster.open();
  });

  it('is ready, and returns to every client the same bytes as a single PostgreSQL', async () => {
    expect(await responsesOf(distributed)).toEqual(before);
    expect(before.length).toBeGreaterThan(100);
  });

  it('withholds the columns of each reading role from its login', async () => {
    const { Client } = await import('pg');
    for (const [name, url] of Object.entries(cluster.readers)) {
      const client = new Client({ connectionString: url });
      await client.connect();
      const rejected = [
        'SELECT listing_trim FROM deal_sets.price_check',
        'SELECT p.* FROM deal_sets.price_check p',
      ];
      if (name === 'DATABASE_ASSISTANT_URL')
        rejected.push('SELECT distance_miles FROM deal_sets.price_check');
      for (const sql of rejected)
        await expect(client.query(sql)).rejects.toThrow('permission denied');
      await expect(client.query('DELETE FROM deal_sets.buyer')).rejects.toThrow();
      expect((await client.query('SELECT count(id) FROM deal_sets.price_check')).rowCount).toBe(1);
      await client.end();
    }
  });

  it('runs every command as on a single PostgreSQL', async () => {
    const session = ok(await cluster.run(['session', '--buyer', ANNA]));
    expect(session.stdout).not.toBe('');
    for (const run of [(args: string[]) => cluster.run(args), (args: string[]) => onPlain(args)]) {
      ok(await run(['revoke', '--buyer', BEN, '--client', 'world-assistant']));
      ok(await run(['erase', '--yes', '--buyer', ERASED]));
      ok(await run(['rebuild']));
    }
    expect(await responsesOf(distributed)).toEqual(await responsesOf(plain));
    // Importing the same file again changes nothing.
    const again = ok(await cluster.run(['import', '--backfill', '-'], world));
    expect(again.stderr).toContain(': 0 new, 0 changed');
  });

  it('moves shards by citus_rebalance_start() without arguments', async () => {
    await distributed
      .query(
        `SELECT citus_move_shard_placement(s.shardid, '127.0.0.1', $1, '127.0.0.1', $2)
      FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
      WHERE s.logicalrelid = 'deal_sets.buyer'::regclass AND n.nodeport = $1 ORDER BY s.shardid LIMIT 3`,
        [cluster.nodes[1].port, cluster.nodes[2].port],
      )
      .catch(() => undefined);
    await distributed.query('SELECT citus_rebalance_start()');
    await distributed.query('SELECT citus_rebalance_wait()');
    const responses = await responsesOf(distributed);
    expect(responses).toEqual(await responsesOf(plain));
  });

  it('returns to a plain PostgreSQL by an export', async () => {
    await cluster.asSuperuser(
      cluster.coordinator,
      'deal_sets',
      `SELECT citus_create_restore_point('before')`,
    );
    const { stdout } = ok(await cluster.run(['export']));
    const back = await createTestDatabase();
    ok(
      await runCommand(['import', '--backfill', '-'], {
        env: { DATABASE_URL: back.url },
        input: stdout,
      }),
    );
    expect(await responsesOf(back)).toEqual(await responsesOf(distributed));
    await back.drop();
  });
});
