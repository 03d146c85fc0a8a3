import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PooledReadDatabase } from '../../../src/database/pooled-read-database.js';
import { SeededRandom } from '../../world/seeded-random.js';
import { dealSet, insert } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { OwnCluster } from '../../setup/own-cluster.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { openTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import {
  EPOCH,
  FeedWorld,
  idsOf,
  insertReply,
  insertSingle,
  latestOf,
  NO_MARGIN,
  pastStamp,
  setPrice,
  STAMP,
  type Poll,
} from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';
import { REPLICATED, Standby } from './standby.js';

let cluster: OwnCluster;
let database: TestDatabase;
const kept = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  cluster = await OwnCluster.start({ settings: REPLICATED });
  database = await openTestDatabase(cluster.url, kept);
});
afterAll(async () => {
  await database.drop();
  await cluster.remove();
});

/** Two replicas behind one address, as behind a proxy that selects either. */
describe('polls that go to replicas', () => {
  let world: FeedWorld;
  let anna: Reader;
  let singles: string[];
  let left: Standby;
  let right: Standby;
  let address: TcpProxy;

  beforeAll(async () => {
    left = await Standby.start(cluster, database, 'left');
    right = await Standby.start(cluster, database, 'right');
    address = await TcpProxy.start(portOf(left));
    const replicaUrl = Object.assign(new URL(left.url), { port: String(address.port) }).href;
    world = await FeedWorld.start({
      database,
      changesGranted: true,
      env: { DATABASE_REPLICA_URL: replicaUrl },
    });
  });
  afterAll(async () => {
    await world.stop();
    await address.stop();
    await all((standby) => standby.stop());
  });
  beforeEach(async () => {
    await routeTo(left);
    anna = world.unusedBuyer();
    ({ singles } = await world.loadHistory(anna, 30, 0));
    await all((standby) => standby.catchUp());
  });
  afterEach(async () => {
    await world.rollback();
    await all((standby) => standby.resume());
  });

  const all = async (act: (standby: Standby) => Promise<void>): Promise<void> => {
    await Promise.all([left, right].map(act));
  };
  const portOf = ({ url }: Standby): number => Number(new URL(url).port);
  /** Makes the address lead to this replica from now on. */
  const routeTo = async (standby: Standby): Promise<void> => {
    address.target = portOf(standby);
    address.cut();
    // The service would read from the primary if it found a closed connection.
    const reads = world.service.app.get(PooledReadDatabase, { strict: false });
    await eventually(() => {
      const ofReplica = reads.poolStates().slice(-2);
      expect(ofReplica.map(([, { total }]) => total)).toEqual([0, 0]);
    });
  };
  /** Polls the two replicas alternately, following the header. */
  async function pollInTurn(
    since: string,
    polls: number,
    before: (poll: number) => Promise<unknown> = kept,
  ): Promise<Poll[]> {
    const pages: Poll[] = [];
    for (let i = 0; i < polls; i++) {
      await before(i);
      await routeTo(i % 2 === 0 ? left : right);
      pages.push(await world.poll(pages.at(-1)?.asOf ?? since, anna));
      expect(Date.parse(pages[i]!.asOf)).toBeGreaterThanOrEqual(Date.parse(pages[i]!.since));
    }
    return pages;
  }
  const write = (id: string, price: number): Promise<unknown> =>
    database.query(setPrice(id, price));

  it('return what the replica contains, and Service-As-Of follows that', async () => {
    const before = await world.latestWatermark(anna);
    await all((standby) => standby.pause());
    await write(singles[0]!, 1);
    const lagging = await world.poll(before, anna);
    expect(lagging).toMatchObject({ entries: [], hasMore: false, asOf: before });
    await all((standby) => standby.resume());
    await all((standby) => standby.catchUp());
    expect(await world.changedIdsSince(lagging.asOf, anna)).toEqual([singles[0]]);
  });

  it('skip nothing when one replica has a change and the next does not', async () => {
    const before = await world.latestWatermark(anna);
    await left.pause();
    await write(singles[0]!, 10);
    await write(singles[1]!, 11);
    await right.catchUp();
    const pages = await pollInTurn(before, 6, async (poll) => {
      if (poll === 2) await write(singles[2]!, 12);
    });
    await left.resume();
    await all((standby) => standby.catchUp());
    pages.push(...(await world.drain(pages.at(-1)!.asOf, anna)));
    expect(idsOf(pages)).toEqual(singles.slice(0, 3).sort());
  });

  describe('of an assistant who sees changes', () => {
    /** What each of the polls that contain the entry reports. */
    async function reportedReplies(since: string, polls: number): Promise<object[]> {
      const reported: object[] = [];
      for (let i = 0; i < polls; i++) {
        await routeTo(i % 2 === 0 ? left : right);
        const { entries } = await world.poll(since, anna, 'assistant');
        reported.push(...entries.map((entry) => entry.changes!.newReplies));
      }
      return reported;
    }

    it('report a reply that only one replica has, on every page', async () => {
      const before = await world.latestWatermark(anna);
      await left.pause();
      await database.query(insertReply(anna.id, singles[0]!));
      await right.catchUp();
      const reported = await reportedReplies(before, 4);
      expect(reported).toHaveLength(2);
      for (const newReplies of reported)
        expect(newReplies).toMatchObject({ status: 'new', count: 1 });
    });

    it('report could_not_check if the replica of the page cannot read them, and keep the entry', async () => {
      const before = await world.latestWatermark(anna);
      await database.query(insertReply(anna.id, singles[0]!));
      const locker = await world.writer();
      await locker.query('BEGIN; LOCK TABLE deal_sets.reply IN ACCESS EXCLUSIVE MODE');
      // A replica takes the lock when it replays it; no commit writes it to the log.
      await database.query('SELECT pg_switch_wal()');
      await all((standby) => standby.catchUp());
      expect(await reportedReplies(before, 2)).toEqual(
        Array(2).fill({ status: 'could_not_check' }),
      );
    });
  });

  it('leave out a deal set that the replica does not have yet, which is found on the primary by its id', async () => {
    await left.pause();
    const set = dealSet({ buyerId: anna.id });
    await insert(database, [set]);
    const paths = { theirs: `${LIST}/${set.id}`, unknown: `${LIST}/${randomUUID()}` };
    const statusesOf = async (path: string): Promise<number[]> => {
      const ben = world.unusedBuyer();
      const readers = [anna.session, anna.assistant, ben.session];
      const responses = await Promise.all(readers.map((reader) => world.service.get(path, reader)));
      return responses.map(({ status }) => status);
    };
    expect(await statusesOf(paths.theirs)).toEqual([200, 200, 404]);
    expect(await statusesOf(paths.unknown)).toEqual([404, 404, 404]);
    expect(idsOf([await world.poll(EPOCH, anna)])).not.toContain(set.id);
    await left.resume();
    await left.catchUp();
    expect(await statusesOf(paths.theirs)).toEqual([200, 200, 404]);
  });

  it('return no more changes once nothing changes', async () => {
    await write(singles[0]!, 20);
    await all((standby) => standby.catchUp());
    await sleep(1_100);
    const since = await world.latestWatermark(anna);
    for (const page of await pollInTurn(since, 3)) {
      expect(page).toMatchObject({ entries: [], hasMore: false, asOf: since });
    }
  });

  it('skip nothing while two replicas lag and catch up randomly, and writers stay open', async () => {
    const random = new SeededRandom('replicas', 'chance');
    const writer = await world.writer();
    const expected = new Map<string, number>();
    let open: [string, number] | undefined;
    const pages: Poll[] = [];
    let since = EPOCH;
    for (let round = 1; round <= 80; round++) {
      const standby = random.pick([left, right]);
      if (random.chance(0.25)) await (random.chance(0.5) ? standby.pause() : standby.resume());
      const id = random.pick(singles);
      if (open) {
        if (random.chance(0.4)) {
          await writer.query('COMMIT');
          expected.set(...open);
          open = undefined;
        }
      } else if (random.chance(0.3)) {
        await writer.query('BEGIN');
        await writer.query(setPrice(id, round));
        if (random.chance(0.5)) await writer.query(STAMP);
        open = [id, round];
      } else {
        await write(id, round);
        expected.set(id, round);
      }
      if (round % 3 === 0) await routeTo(random.pick([left, right]));
      const page = await world.poll(since, anna);
      expect(Date.parse(page.asOf)).toBeGreaterThanOrEqual(Date.parse(since));
      pages.push(page);
      since = page.asOf;
    }
    await writer.query('ROLLBACK');
    await all((standby) => standby.resume());
    await all((standby) => standby.catchUp());
    pages.push(...(await world.drain(since, anna)));
    const known = latestOf(pages);
    for (const [id, price] of expected) {
      expect(known.get(`single:${id}`)!.lowestWrittenOtdCents).toBe(price);
    }
  });
});

/** Changes without an ordinary commit: prepared transactions, and rows from another database. */
describe('the feed with changes that arrive in other ways', () => {
  let world: FeedWorld;
  let anna: Reader;
  let single: string;
  let set: string;

  beforeAll(async () => {
    world = await FeedWorld.start({ database, ...NO_MARGIN });
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    anna = world.unusedBuyer();
    const made = await world.loadHistory(anna, 1, 1);
    [single] = made.singles as [string];
    [set] = made.sets as [string];
  });

  it('holds Service-As-Of for a prepared transaction, and delivers it when it is committed', async () => {
    const writer = await world.writer();
    await writer.query(`BEGIN; ${setPrice(single, 1)}; PREPARE TRANSACTION 'p1'`);
    await writer.end();
    await pastStamp();
    const since = await world.latestWatermark(anna);
    expect(await world.poll(since, anna)).toMatchObject({ asOf: since, hasMore: false });
    await database.query(`COMMIT PREPARED 'p1'`);
    expect(await world.changedIdsSince(since, anna)).toEqual([single]);
  });

  it('keeps nothing of a prepared transaction that is rolled back, which holds no other buyer', async () => {
    const ben = world.unusedBuyer();
    await world.loadHistory(ben, 1, 0);
    await database.client.query(`BEGIN; ${setPrice(single, 1)}; PREPARE TRANSACTION 'p2'`);
    const since = await world.latestWatermark(anna);
    const prepared = await world.databaseTime();
    expect(Date.parse(await world.latestWatermark(ben))).toBeGreaterThan(prepared - 100);
    await database.query(`ROLLBACK PREPARED 'p2'`);
    expect(await world.poll(since, anna)).toMatchObject({ entries: [], hasMore: false });
    const rolledBack = await world.databaseTime();
    expect(Date.parse(await world.latestWatermark(anna))).toBeGreaterThan(rolledBack - 100);
  });

  it('holds each Service-As-Of for a prepared transaction of several buyers, and delivers to all', async () => {
    const ben = world.unusedBuyer();
    const { singles } = await world.loadHistory(ben, 1, 0);
    const changed = [single, singles[0]!];
    const changes = changed.map((id) => setPrice(id, 3)).join(';');
    await database.client.query(`BEGIN; ${changes}; PREPARE TRANSACTION 'p4'`);
    await pastStamp();
    const buyers = [anna, ben];
    const since = await Promise.all(buyers.map((buyer) => world.latestWatermark(buyer)));
    for (const [i, buyer] of buyers.entries()) {
      expect(await world.poll(since[i]!, buyer)).toMatchObject({ asOf: since[i], hasMore: false });
    }
    await database.query(`COMMIT PREPARED 'p4'`);
    for (const [i, buyer] of buyers.entries()) {
      expect(await world.changedIdsSince(since[i]!, buyer)).toEqual([changed[i]]);
    }
  });

  it('stamps, moves and cleans rows of a logical replication like any other', async () => {
    await database.query('CREATE DATABASE source');
    const url = Object.assign(new URL(database.url), { pathname: '/source' }).href;
    await cluster.migrate({ url });
    const source = await openTestDatabase(url, kept);
    const tables = ['buyer', 'dealership', 'deal_set', 'price_check', 'question', 'draft', 'reply']
      .map((table) => `deal_sets.${table}`)
      .join(', ');
    await source.query(`CREATE PUBLICATION requests FOR TABLE ${tables}`);
    await source.query('INSERT INTO deal_sets.buyer (id) VALUES ($1)', [anna.id]);
    for (const shop of [world.dealership, world.renamed]) {
      await source.query('INSERT INTO deal_sets.dealership (id, name) VALUES ($1, $2)', [
        shop.id,
        shop.name,
      ]);
    }
    await source.query(
      `INSERT INTO deal_sets.deal_set (buyer_id, id, car_year, car_make, car_model, created_at)
       VALUES ($1, $2, 2025, 'Honda', 'CR-V', now())`,
      [anna.id, set],
    );
    // Rows older than the slot are not replicated.
    await source.query(`SELECT pg_create_logical_replication_slot('requests', 'pgoutput')`);
    const { hostname, port, username, password } = new URL(url);
    await database.query(`CREATE SUBSCRIPTION requests
      CONNECTION 'host=${hostname} port=${port} user=${username} password=${password} dbname=source'
      PUBLICATION requests WITH (create_slot = false, slot_name = 'requests', copy_data = false)`);
    let since = await world.latestWatermark(anna);
    const expectReplicated = async (sql: string, ...ids: readonly string[]): Promise<void> => {
      await source.client.query(sql);
      await eventually(async () => {
        expect(await world.changedIdsSince(since, anna)).toEqual([...ids].sort());
      });
      since = await world.latestWatermark(anna);
    };
    try {
      const [fresh, insert] = insertSingle(world, anna);
      await expectReplicated(insert, fresh);
      await expectReplicated(setPrice(fresh, 77), fresh);
      await expectReplicated(insertReply(anna.id, fresh), fresh);
      expect(await world.repliesOf(anna)).toMatchObject([{ hasStampOfRequest: true }]);
      await expectReplicated(
        `UPDATE deal_sets.deal_set SET dealers_found = 3 WHERE id = '${set}'`,
        set,
      );
      const row = randomUUID();
      await expectReplicated(
        `INSERT INTO deal_sets.price_check (buyer_id, id, deal_set_id, dealership_id, requested_at, listing_trim)
         VALUES ('${anna.id}', '${row}', '${set}', '${world.dealership.id}', now(), 'EX ${world.dealership.name}')`,
        set,
      );
      const shown = await database.query(
        'SELECT shown_trim FROM deal_sets.price_check WHERE id = $1',
        [row],
      );
      expect(shown).toEqual([{ shown_trim: null }]);
      await expectReplicated(
        `UPDATE deal_sets.price_check SET deal_set_id = '${set}' WHERE id = '${fresh}'`,
        set,
      );
      await expectReplicated(`DELETE FROM deal_sets.price_check WHERE id = '${row}'`, set);
      const left = await database.query<{ id: string }>(
        'SELECT request_id AS id FROM deal_sets.request_feed WHERE buyer_id = $1',
        [anna.id],
      );
      expect(left.map(({ id }) => id).sort()).toEqual([single, set].sort());
    } finally {
      await database.query('ALTER SUBSCRIPTION requests DISABLE');
      await database.query('DROP SUBSCRIPTION requests');
      await source.drop();
    }
  });
});
