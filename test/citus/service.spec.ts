import { randomUUID } from 'node:crypto';
import { distribute } from '../../src/database/citus/distribute.js';
import {
  inspectCluster,
  inspectTables,
  isDistributed,
} from '../../src/database/citus/inspect-cluster.js';
import {
  dealership,
  dealSet,
  load,
  priceCheck,
  question,
  reply,
  smallWorld,
  written,
} from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import { runCommand } from '../setup/run-command.js';
import { TestService, type Credential } from '../setup/test-service.js';
import { onNode } from './cluster/citus-cluster.js';
import { createClusterDatabase, type DistributedDatabase } from './cluster/distributed-database.js';
import { describeWithCitus } from './cluster/describe-with-citus.js';

const EPOCH = '1970-01-01T00:00:00Z';
interface Page {
  data: {
    dealSetId: string;
    lowestWrittenOtdCents: number | null;
    changes?: { newReplies: object };
  }[];
}

describeWithCitus('the service on a distributed database', () => {
  const first = smallWorld();
  let database: DistributedDatabase;
  let service: TestService;
  let assistant: Credential;
  let stampsBefore: unknown[];

  const stamps = (): Promise<unknown[]> =>
    database.query(
      `SELECT to_jsonb(f) AS row FROM request_feed f ORDER BY f.buyer_id, f.request_id, f.kind`,
    );

  beforeAll(async () => {
    database = await createClusterDatabase();
    await load(database, first.records);
    stampsBefore = await stamps();
    expect(await inspectCluster(database.client)).toEqual([]);
    expect(await distribute(database.client, { shardCount: 8 })).toBe(true);
    service = await TestService.start({ database });
    assistant = await service.tokenFor(first.anna.id);
  }, 180_000);
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const command = (...args: string[]): ReturnType<typeof runCommand> =>
    runCommand(args, { env: { DATABASE_URL: database.url } });
  const poll = async (since: string): Promise<{ asOf: string; ids: string[] }> => {
    const page = await service.get<Page>(`${LIST}?since=${since}`, assistant);
    expect(page.status).toBe(200);
    return {
      asOf: page.headers['service-as-of'] as string,
      ids: page.body.data.map(({ dealSetId }) => dealSetId),
    };
  };

  it('keeps every row and stamp when it is distributed', async () => {
    expect(await isDistributed(database.client)).toBe(true);
    expect(await stamps()).toEqual(stampsBefore);
    expect(stampsBefore).toHaveLength(1);
  });

  it('reports nothing amiss, and changes nothing when it is distributed again', async () => {
    expect(await inspectCluster(database.client)).toEqual([]);
    expect(await inspectTables(database.client)).toEqual([]);
    expect(await distribute(database.client)).toBe(false);
    expect(await inspectTables(database.client)).toEqual([]);
    expect(await stamps()).toEqual(stampsBefore);
    const { exitCode, stderr } = await command('distribute', '--check');
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  }, 120_000);

  it('reports a node that confirms commits before they are written', async () => {
    const worker = new URL(database.nodeUrls[1]!);
    await onNode(worker.href, [`ALTER DATABASE ${database.name} SET synchronous_commit = off`]);
    const { exitCode, stderr } = await command('distribute', '--check');
    await onNode(worker.href, [`ALTER DATABASE ${database.name} RESET synchronous_commit`]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `127.0.0.1:${worker.port} has synchronous_commit = off: set it to on, or a crash takes back changes that clients were given.\n`,
    });
  }, 60_000);

  it('serves both endpoints to both principals', async () => {
    for (const credential of [first.session, assistant]) {
      for (const path of [LIST, `${LIST}?since=${EPOCH}`, first.getPath]) {
        const answer = await service.get(path, credential);
        expect({ path, status: answer.status }).toEqual({ path, status: 200 });
        expect(answer.text).toContain(first.set.id);
      }
    }
  });

  it('imports live and as history, and delivers what is new', async () => {
    const before = await poll(EPOCH);
    const set = dealSet({ buyerId: first.anna.id });
    const seller = dealership({ name: 'Thistledown Cars' });
    const row = priceCheck({
      buyerId: first.anna.id,
      dealSetId: set.id,
      dealershipId: seller.id,
      listing: { year: 2025, make: 'Honda', model: 'CR-V', trim: 'Thistledown Cars special' },
      ...written(3_000_000),
    });
    const other = smallWorld();
    const records = [set, seller, row, ...other.records];
    expect(await load(database, records)).toMatchObject({ added: records.length, changed: 0 });
    expect(await load(database, records)).toMatchObject({ added: 0, changed: 0 });
    expect((await poll(before.asOf)).ids).toContain(set.id);
    const result = await service.get(`${LIST}/${set.id}`, first.session);
    expect(result.text).toContain(row.id);
    expect(result.text).not.toContain('Thistledown');

    const old = dealSet({ buyerId: first.anna.id, latestActivityAt: '2026-02-01T00:00:00Z' });
    const now = await poll(EPOCH);
    await load(database, [old], { isBackfill: true });
    expect((await poll(now.asOf)).ids).not.toContain(old.id);
    const [placed] = await database.query<{ feed_at: Date; is_time_known: boolean }>(
      'SELECT feed_at, is_time_known FROM request_feed WHERE request_id = $1',
      [old.id],
    );
    expect(placed).toEqual({ feed_at: new Date('2026-02-01T00:00:00Z'), is_time_known: true });

    const changed = { ...seller, name: 'Gable Street Cars' };
    expect(await load(database, [changed])).toMatchObject({ added: 0, changed: 1 });
  });

  it('counts new replies for an assistant that sees changes', async () => {
    const before = await poll(EPOCH);
    const granted = { ...first.anna, changesGranted: true };
    await load(database, [granted, reply({ priceCheckId: first.row.id })]);
    const since = async (time: string): Promise<unknown> => {
      const { body } = await service.get<Page>(`${LIST}?since=${time}`, assistant);
      return body.data.find(({ dealSetId }) => dealSetId === first.set.id)?.changes?.newReplies;
    };
    expect(await since(EPOCH)).toMatchObject({ status: 'new', count: 1 });
    expect(await since(before.asOf)).toMatchObject({ status: 'new', count: 1 });
  });

  it('refuses a file with the line of a token that names a dealership', async () => {
    const seller = dealership({ name: 'Wintergreen Motors' });
    const row = priceCheck({
      buyerId: first.anna.id,
      dealSetId: first.set.id,
      dealershipId: seller.id,
    });
    const asked = question({ priceCheckId: row.id, category: 'ask_Wintergreen_Motors' });
    await expect(load(database, [seller, row, asked])).rejects.toMatchObject({
      problems: [expect.objectContaining({ line: 3, key: 'question.category' })],
    });
  });

  it('follows a renamed dealership on every worker', async () => {
    const worlds = Array.from({ length: 6 }, () => smallWorld());
    const shared = dealership({ name: 'Harbor Lane Autos' });
    const rows = worlds.map(({ anna, set }) =>
      priceCheck({
        buyerId: anna.id,
        dealSetId: set.id,
        dealershipId: shared.id,
        listing: { year: 2025, make: 'Honda', model: 'CR-V', trim: 'Corsair Cars edition' },
        chosenAt: '2026-01-05T00:00:00Z',
      }),
    );
    await load(database, [...worlds.flatMap(({ records }) => records), shared, ...rows]);
    const stampsOf = (): Promise<{ feed_at: Date }[]> =>
      database.query('SELECT feed_at FROM request_feed WHERE request_id = ANY ($1)', [
        worlds.map(({ set }) => set.id),
      ]);
    const newest = Math.max(...(await stampsOf()).map(({ feed_at }) => feed_at.getTime()));
    await database.query(`UPDATE dealership SET name = 'Corsair Cars' WHERE id = $1`, [shared.id]);
    const shown = await database.query(
      'SELECT DISTINCT shown_trim FROM price_check WHERE dealership_id = $1',
      [shared.id],
    );
    expect(shown).toEqual([{ shown_trim: null }]);
    const after = await stampsOf();
    expect(after).toHaveLength(6);
    for (const { feed_at } of after) expect(feed_at.getTime()).toBeGreaterThan(newest);
    const nodes = await database.query(
      `SELECT count(DISTINCT nodeport) AS count FROM (
         SELECT get_shard_id_for_distribution_column('buyer', id) AS shardid FROM buyer WHERE id = ANY ($1::uuid[])) b
       JOIN pg_dist_shard_placement USING (shardid)`,
      [worlds.map(({ anna }) => anna.id)],
    );
    expect(Number((nodes[0] as { count: string }).count)).toBe(2);
  });

  it('moves a price check with its messages to another request', async () => {
    const other = dealSet({ buyerId: first.anna.id });
    const asked = question({ priceCheckId: first.row.id });
    await load(database, [other, asked]);
    await database.query(
      'UPDATE price_check SET deal_set_id = $3 WHERE buyer_id = $1 AND id = $2',
      [first.anna.id, first.row.id, other.id],
    );
    expect(
      await database.query('SELECT request_id FROM question WHERE id = $1', [asked.id]),
    ).toEqual([{ request_id: other.id }]);
    const feed = await database.query(
      'SELECT request_id, member_ids FROM request_feed WHERE request_id = ANY ($1)',
      [[first.set.id, other.id]],
    );
    expect(feed).toEqual(
      expect.arrayContaining([
        { request_id: first.set.id, member_ids: null },
        { request_id: other.id, member_ids: first.row.id },
      ]),
    );
  });

  it('lets no reading role read more on a worker than on the coordinator', async () => {
    for (const url of database.nodeUrls) {
      const answer = await readAs(url, 'deal_sets_assistant', 'SELECT buyer_zip FROM deal_set');
      expect(answer).toMatch(/permission denied/);
    }
  });

  it('signs in, revokes and erases by its commands', async () => {
    const { anna, getPath, records } = smallWorld();
    await load(database, records);
    const token = await service.tokenFor(anna.id);
    const made = await command('session', '--buyer', anna.id);
    expect(made).toMatchObject({ exitCode: 0 });
    const cookie = made.stdout.trim().split('=').slice(1).join('=');
    expect((await service.get(getPath, { cookie })).status).toBe(200);
    expect(await command('revoke', '--buyer', anna.id, '--sessions')).toMatchObject({
      exitCode: 0,
    });
    expect((await service.get(getPath, { cookie })).status).toBe(401);

    expect((await service.get(getPath, token)).status).toBe(200);
    const revoked = await command('revoke', '--buyer', anna.id, '--client', 'assistant-1');
    expect(revoked).toMatchObject({ exitCode: 0 });
    expect((await service.get(getPath, token)).status).toBe(401);

    expect(await command('erase', '--buyer', anna.id, '--yes')).toMatchObject({ exitCode: 0 });
    for (const table of [
      'deal_set',
      'price_check',
      'request_feed',
      'assistant_grant',
      'buyer_session',
    ]) {
      const rows = await database.query(`SELECT FROM ${table} WHERE buyer_id = $1`, [anna.id]);
      expect({ table, rows }).toEqual({ table, rows: [] });
    }
    const missing = await command('session', '--buyer', randomUUID());
    expect(missing.stderr).toMatch(/There is no buyer/);
  }, 60_000);
});

async function readAs(url: string, role: string, statement: string): Promise<string> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET ROLE ${role}`);
    await client.query(statement);
    return 'allowed';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end();
  }
}
