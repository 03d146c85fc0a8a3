import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../../setup/test-database.js';
import {
  EPOCH,
  FeedWorld,
  idsOf,
  latestOf,
  setPrice,
  type FeedBuyer,
  type Poll,
} from './feed-world.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { ReplicatedCluster, type Standby } from './replicated-cluster.js';
import { SeededRandom } from '../../../packages/demo/src/world/seeded-random.js';

/** Two replicas behind one address, as behind a proxy that turns to one or the other. */
describe('polls that go to replicas', () => {
  let cluster: ReplicatedCluster;
  let database: TestDatabase;
  let world: FeedWorld;
  let anna: FeedBuyer;
  let singles: string[];
  let left: Standby;
  let right: Standby;
  let address: TcpProxy;

  beforeAll(async () => {
    cluster = await ReplicatedCluster.start();
    database = await cluster.database('main');
    [left, right] = [await cluster.addStandby(database), await cluster.addStandby(database)];
    address = await TcpProxy.start(portOf(left));
    const replicaUrl = Object.assign(new URL(left.url), { port: String(address.port) }).href;
    world = await FeedWorld.start({
      buyers: 7,
      database,
      changesGranted: true,
      env: { DATABASE_REPLICA_URL: replicaUrl, REQUEST_DEADLINE_MS: '2500' },
    });
  }, 120_000);
  afterAll(async () => {
    await world.stop();
    await address.stop();
    await cluster.stop();
  });
  beforeEach(async () => {
    await turnTo(left);
    anna = world.next();
    ({ singles } = await world.history(anna, 30, 0));
    await all((standby) => standby.catchUp());
  });
  afterEach(() => all((standby) => standby.resume()));

  const all = async (act: (standby: Standby) => Promise<void>): Promise<void> => {
    await Promise.all([left, right].map(act));
  };
  const portOf = ({ url }: Standby): number => Number(new URL(url).port);
  /** From now on the address leads to this replica. */
  const turnTo = async (standby: Standby): Promise<void> => {
    address.target = portOf(standby);
    address.cut();
    // The service notices that its connections are gone.
    await sleep(50);
  };
  const turn = (count: number): Promise<void> => turnTo(count % 2 === 0 ? left : right);
  const write = (id: string, price: number): Promise<unknown> =>
    database.query(setPrice(id, price));

  it('are answered by what the replicas see, and Service-As-Of follows that', async () => {
    const before = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    await all((standby) => standby.pause());
    await write(singles[0]!, 1);
    const lagging = await world.poll(before, anna);
    expect(lagging).toMatchObject({ entries: [], hasMore: false, asOf: before });
    await all((standby) => standby.resume());
    await all((standby) => standby.catchUp());
    expect(idsOf(await world.drain(lagging.asOf, anna))).toEqual([singles[0]]);
  });

  it('skip nothing when one replica has it and the next has not', async () => {
    const before = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    await left.pause();
    await write(singles[0]!, 10);
    await write(singles[1]!, 11);
    await right.catchUp();
    const pages: Poll[] = [];
    let since = before;
    for (let i = 0; i < 6; i++) {
      if (i === 2) await write(singles[2]!, 12);
      await turn(i);
      const page = await world.poll(since, anna);
      expect(Date.parse(page.asOf)).toBeGreaterThanOrEqual(Date.parse(since));
      pages.push(page);
      since = page.asOf;
    }
    await left.resume();
    await all((standby) => standby.catchUp());
    pages.push(...(await world.drain(since, anna)), ...(await world.drain(since, anna)));
    expect(idsOf(pages)).toEqual(singles.slice(0, 3).sort());
  });

  describe('of an assistant who sees changes', () => {
    const insertReply = (): string =>
      `INSERT INTO reply (buyer_id, id, price_check_id, received_at)
       VALUES ('${anna.id}', '${randomUUID()}', '${singles[0]!}', now() - interval '1 minute')`;
    /** Polls both replicas, whichever is next in turn, and gives what each said that had the entry. */
    async function saidOf(since: string): Promise<object[]> {
      const said: object[] = [];
      for (let i = 0; i < 6; i++) {
        await turn(i);
        const { entries } = await world.poll(since, anna, 'assistant');
        said.push(...entries.map((entry) => entry.changes!.newReplies));
      }
      return said;
    }

    it('report the reply that one replica has and the other has not, on every page', async () => {
      const before = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
      await left.pause();
      await database.query(insertReply());
      await right.catchUp();
      const said = await saidOf(before);
      expect(said.length).toBeGreaterThan(0);
      expect(said.length).toBeLessThan(6);
      for (const newReplies of said) expect(newReplies).toMatchObject({ status: 'new', count: 1 });
    });

    it('say could_not_check if the replica of the page cannot read them, and keep the entry', async () => {
      const before = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
      await database.query(insertReply());
      await all((standby) => standby.catchUp());
      const locker = await world.writer();
      await locker.query('BEGIN');
      await locker.query('LOCK TABLE reply IN ACCESS EXCLUSIVE MODE');
      try {
        // A replica takes the lock over when it replays it.
        await all((standby) => standby.catchUp());
        expect(await saidOf(before)).toEqual(Array(6).fill({ status: 'could_not_check' }));
      } finally {
        await locker.query('ROLLBACK');
      }
    });
  });

  it('become still once nothing changes', async () => {
    await write(singles[0]!, 20);
    await all((standby) => standby.catchUp());
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const since = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    for (let i = 0; i < 3; i++) {
      expect(await world.poll(since, anna)).toMatchObject({
        entries: [],
        hasMore: false,
        asOf: since,
      });
    }
  });

  it('skip nothing while two replicas lag and catch up by chance, and writers stay open', async () => {
    const random = new SeededRandom('replicas', 'chance');
    const writer = await world.writer();
    const expected = new Map<string, number>();
    let open: [string, number][] = [];
    const pages: Poll[] = [];
    let since = EPOCH;
    for (let round = 1; round <= 80; round++) {
      const standby = random.chance(0.5) ? left : right;
      if (random.chance(0.25)) await (random.chance(0.5) ? standby.pause() : standby.resume());
      const id = random.pick(singles);
      if (random.chance(0.3) && open.length === 0) {
        await writer.query('BEGIN');
        await writer.query(setPrice(id, round));
        if (random.chance(0.5)) await writer.query('SET CONSTRAINTS ALL IMMEDIATE');
        open = [[id, round]];
      } else if (open.length > 0 && random.chance(0.4)) {
        await writer.query('COMMIT');
        for (const [committed, price] of open) expected.set(committed, price);
        open = [];
      } else if (open.length === 0) {
        await write(id, round);
        expected.set(id, round);
      }
      if (round % 3 === 0) await turnTo(random.chance(0.5) ? left : right);
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
