import { Client } from 'pg';
import { Metrics } from '../../src/observability/metrics.js';
import { load, smallWorld } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { LIST } from '../setup/http-call.js';
import { TestService, type Credential } from '../setup/test-service.js';
import { crashNode, restartNode } from './cluster/crash-node.js';
import {
  createDistributedDatabase,
  type DistributedDatabase,
} from './cluster/distributed-database.js';
import { describeWithCitus } from './cluster/describe-with-citus.js';
import { workerOf } from './cluster/shards.js';

const EPOCH = '1970-01-01T00:00:00Z';

interface Reader {
  readonly buyerId: string;
  readonly setId: string;
  readonly getPath: string;
  readonly session: Credential;
  readonly assistant: Credential;
  readonly url: string;
}

describeWithCitus('a worker that fails', () => {
  let database: DistributedDatabase;
  let service: TestService;
  let here: Reader;
  let there: Reader;

  beforeAll(async () => {
    database = await createDistributedDatabase();
    service = await TestService.start({ database, env: { REQUEST_DEADLINE_MS: '3000' } });
    const readers: Reader[] = [];
    for (const { anna, set, session, getPath, records } of Array.from({ length: 8 }, smallWorld)) {
      await load(database, records);
      const assistant = await service.tokenFor(anna.id);
      const url = await workerOf(database, anna.id);
      readers.push({ buyerId: anna.id, setId: set.id, getPath, session, assistant, url });
    }
    here = readers.find(({ url }) => url === database.nodeUrls[1])!;
    there = readers.find(({ url }) => url === database.nodeUrls[2])!;
  }, 240_000);
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const statuses = async (reader: Reader): Promise<number[]> => {
    const calls = [reader.session, reader.assistant].flatMap((credential) =>
      [LIST, `${LIST}?since=${EPOCH}`, reader.getPath].map((path) => service.get(path, credential)),
    );
    return (await Promise.all(calls)).map(({ status }) => status);
  };
  const poll = async (reader: Reader, since: string): Promise<{ asOf: string; ids: string[] }> => {
    const page = await service.get<{ data: { dealSetId: string }[] }>(
      `${LIST}?since=${since}`,
      reader.session,
    );
    return {
      asOf: page.headers['service-as-of'] as string,
      ids: page.body.data.map(({ dealSetId }) => dealSetId),
    };
  };

  it('is given up at the deadline, and its statement is cancelled', async () => {
    const blocker = new Client({ connectionString: there.url });
    // A transaction sees pg_stat_activity as it was when it first looked.
    const observer = new Client({ connectionString: there.url });
    await Promise.all([blocker.connect(), observer.connect()]);
    const running = async (): Promise<number> => {
      const { rows } = await observer.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND wait_event_type = 'Lock'`,
      );
      return rows[0]!.count;
    };
    try {
      await blocker.query('SET citus.enable_manual_changes_to_shards = on');
      const { rows } = await blocker.query<{ shard: string }>(
        `SELECT 'public.deal_set_' || get_shard_id_for_distribution_column('deal_set', $1::uuid) AS shard`,
        [there.buyerId],
      );
      await blocker.query('BEGIN');
      await blocker.query(`LOCK TABLE ${rows[0]!.shard} IN ACCESS EXCLUSIVE MODE`);
      const startedAt = performance.now();
      const reading = service.get(there.getPath, there.session);
      await eventually(async () => expect(await running()).toBe(1));
      expect((await service.get(here.getPath, here.session)).status).toBe(200);
      expect((await reading).status).toBe(503);
      expect(performance.now() - startedAt).toBeGreaterThan(2_500);
      await eventually(async () => expect(await running()).toBe(0));
    } finally {
      await Promise.all([blocker.end(), observer.end()]);
    }
    expect((await service.get(there.getPath, there.session)).status).toBe(200);
  });

  it('is missed by its own buyers alone, and nothing is skipped when it is back', async () => {
    const before = await poll(there, EPOCH);
    expect(before.ids).toEqual([there.setId]);
    const node = database.nodes[2]!;
    await crashNode(node);

    expect(await statuses(there)).toEqual(Array.from({ length: 6 }, () => 503));
    for (let i = 0; i < 5; i++) {
      expect(await statuses(here)).toEqual(Array.from({ length: 6 }, () => 200));
    }
    expect((await service.send('GET', '/health/ready', undefined)).status).toBe(200);
    await expect(change(there)).rejects.toThrow(/failed/);
    await change(here);

    await restartNode(node);
    await eventually(async () =>
      expect(await statuses(there)).toEqual(Array.from({ length: 6 }, () => 200)),
    );
    await change(there);
    expect((await poll(there, before.asOf)).ids).toEqual([there.setId]);
  }, 120_000);

  it('shows its clock beside the coordinator’s', async () => {
    const metrics = await service.app.get(Metrics).registry.metrics();
    const differences = Array.from(
      metrics.matchAll(/^deal_sets_worker_clock_difference_seconds\{worker="[^"]+"\} (\S+)$/gm),
      ([, value]) => Number(value),
    );
    expect(differences).toHaveLength(2);
    for (const difference of differences) expect(Math.abs(difference)).toBeLessThan(1);
  });

  async function change({ buyerId, setId }: Reader): Promise<void> {
    await database.query(
      'UPDATE deal_set SET dealers_found = coalesce(dealers_found, 0) + 1 WHERE buyer_id = $1 AND id = $2',
      [buyerId, setId],
    );
  }
});
