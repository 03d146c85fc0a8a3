import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Deadline } from '../../src/kernel/deadline.js';
import { eventually } from '../setup/eventually.js';
import { readSuite } from './read-suite.js';

interface Seen {
  readonly value: number;
  readonly pid: number;
  readonly transaction: string;
}

const SEEN = `SELECT $1::int8 AS value, pg_backend_pid() AS pid, pg_current_xact_id()::text AS transaction`;
const LOOK_UP = { name: 'look_up', text: SEEN };
/** Waits as long as another session holds the advisory lock. */
const HELD = { name: 'held', text: `${SEEN}, pg_advisory_xact_lock_shared(77)::text /* m-held */` };
const BROKEN = { name: 'broken', text: 'SELECT 1 / $1::int AS result' };

describe('look-ups that are sent together', () => {
  const suite = readSuite();
  let deadlines: Deadline[];

  beforeEach(() => {
    deadlines = [];
  });
  afterEach(() => deadlines.forEach((deadline) => deadline.finish()));

  const deadline = (): Deadline => {
    const made = new Deadline(8000);
    deadlines.push(made);
    return made;
  };
  const lookUp = (value: number): Promise<Seen[]> =>
    suite.reads.signIn.query<Seen>(LOOK_UP, [value], deadline());
  const held = (own = deadline()): Promise<Seen[]> =>
    suite.reads.signIn.query<Seen>(HELD, [0], own);
  const running = (): Promise<{ pid: number }[]> =>
    suite.database.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%m-held%'`,
    );
  const areHeld = (count: number): Promise<void> =>
    eventually(async () => expect(await running()).toHaveLength(count), 5000);

  /** Nothing that takes the lock ends until `work` has. */
  async function whileHeld<Result>(work: () => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: suite.database.url });
    await client.connect();
    try {
      await client.query('SELECT pg_advisory_lock(77)');
      return await work();
    } finally {
      await client.end();
    }
  }

  it('wait for the batch under way and have one connection, each in a transaction of its own', async () => {
    const values = Array.from({ length: 100 }, (_, value) => value);
    const rows = await Promise.all(values.map((value) => lookUp(value)));
    expect(rows.map(([row]) => row?.value)).toEqual(values);
    expect(new Set(rows.map(([row]) => row?.transaction)).size).toBe(values.length);
    // The first one went alone, the others in fours of 32 at most, of which each had one connection.
    const second = rows.slice(1, 33).map(([row]) => row?.pid);
    expect(new Set(second).size).toBe(1);
  });

  it('have another connection when a batch takes long', async () => {
    await whileHeld(async () => {
      const first = held();
      await areHeld(1);
      const [others] = await Promise.all([lookUp(1), lookUp(2)]);
      expect(others).toMatchObject([{ value: 1 }]);
      deadlines[0]?.end();
      await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    });
    await areHeld(0);
  });

  it('end one by one: whose client has gone is rejected at once, and the others have their rows', async () => {
    const before = await whileHeld(async () => {
      const blocking = held();
      await areHeld(1);
      const gone = deadline();
      // Sent, the first would hold up the second.
      const [leaving, staying] = [held(gone), lookUp(2)];
      gone.end();
      await expect(leaving).rejects.toMatchObject({ code: 'unavailable' });
      expect(await staying).toMatchObject([{ value: 2 }]);
      return { blocking };
    });
    expect(await before.blocking).toMatchObject([{ value: 0 }]);
  });

  it('are cancelled on the server when none of a batch is waited for, and not before', async () => {
    await whileHeld(async () => {
      const own = [deadline(), deadline()];
      // The first goes alone, then the other two together.
      const alone = lookUp(0);
      const [first, second] = own.map((its) => held(its));
      await alone;
      await areHeld(1);
      own[0]?.end();
      await expect(first).rejects.toMatchObject({ code: 'unavailable' });
      expect(await Promise.race([second, sleep(500, 'waiting')])).toBe('waiting');
      expect(await running()).toHaveLength(1);
      own[1]?.end();
      await expect(second).rejects.toMatchObject({ code: 'unavailable' });
      await areHeld(0);
    });
  });

  it('do not fail with another of their batch', async () => {
    const results = await Promise.allSettled([
      lookUp(0),
      lookUp(1),
      suite.reads.signIn.query(BROKEN, [0], deadline()),
      lookUp(2),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(String((results[2] as PromiseRejectedResult).reason)).toContain('division by zero');
  });

  it('are tried once more when their connection is lost', async () => {
    const { together: all } = await whileHeld(async () => {
      const alone = lookUp(0);
      const together = [lookUp(1), held(), lookUp(2)];
      await alone;
      await areHeld(1);
      const [busy] = await running();
      await suite.database.query(`SELECT pg_terminate_backend(${busy?.pid ?? 0})`);
      return { together };
    });
    expect((await Promise.all(all)).map(([row]) => row?.value)).toEqual([1, 0, 2]);
  });

  it('count as waiting until they are sent', async () => {
    await whileHeld(async () => {
      const blocked = [held(), held()];
      await areHeld(2);
      const before = suite.reads.poolStates().sign_in.waiting;
      const waits = lookUp(1);
      expect(suite.reads.poolStates().sign_in.waiting).toBe(before + 1);
      deadlines.slice(0, 2).forEach((own) => own.end());
      expect(await waits).toMatchObject([{ value: 1 }]);
      await Promise.allSettled(blocked);
    });
  });
});
