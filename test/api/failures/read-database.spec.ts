import { Client } from 'pg';
import type { ReadNode, Statement } from '../../../src/database/cancellable-reader.js';
import type { PooledReadDatabase } from '../../../src/database/pooled-read-database.js';
import { AppError } from '../../../src/kernel/app-error.js';
import { afterTime } from '../../../src/kernel/time-limit.js';
import { eventually } from '../../setup/eventually.js';
import { readsOn } from '../../setup/reads-on.js';
import { portOf, proxiedUrl, TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const ECHO = { name: 'echo', text: 'SELECT $1::int8 AS value' };

/** Sleeps for $1 seconds; the marker identifies the statement on the server. */
const sleepAs = (marker: string): Statement => ({
  name: `sleep_${marker}`,
  text: `SELECT pg_sleep($1) /* ${marker} */`,
});

/** The signal of a request whose deadline is the given time from now. */
function endsAfter(budgetMs: number): AbortSignal {
  const controller = new AbortController();
  afterTime(budgetMs, () => controller.abort(new AppError('unavailable')));
  return controller.signal;
}

/** Reads as the session, with a deadline the given time from now. Default: that of the test. */
function readOn<Row>(
  reads: PooledReadDatabase,
  statement: Statement<Row>,
  values: readonly unknown[] = [],
  budgetMs = 280_000,
): Promise<Row[]> {
  const signal = endsAfter(budgetMs);
  return reads.read('session', signal, (node) => node.query<Row>(statement, values, signal));
}

describe('the read database', () => {
  let database: TestDatabase;
  let reads: PooledReadDatabase;
  /** The data source of a single test. */
  let own: PooledReadDatabase | undefined;
  const { signal } = new AbortController();

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(`
      DO $$ BEGIN
        CREATE ROLE reading_login LOGIN PASSWORD 'read' IN ROLE deal_sets_reader;
        CREATE ROLE assisting_login LOGIN PASSWORD 'assist' IN ROLE deal_sets_assistant;
      EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    reads = await readsOn(database.url, { poolSize: 5 });
  });
  afterEach(async () => {
    await own?.close();
    own = undefined;
  });
  afterAll(async () => {
    await reads.close();
    await database.drop();
  });

  /** Opens reads whose statements the server never ends by itself. The caller closes them. */
  function readsWithoutTimeout(url = database.url): Promise<PooledReadDatabase> {
    const login = { username: 'reading_login', password: 'read' };
    return readsOn(url, {
      poolSize: 1,
      readerUrl: Object.assign(new URL(url), login).href,
      assistantUrl: Object.assign(new URL(url), login).href,
    });
  }

  /** Waits until the given number of statements with this marker runs on the server. */
  const untilRunning = (marker: string, count: number): Promise<void> =>
    eventually(async () => {
      const running = await database.query(
        `SELECT FROM pg_stat_activity
         WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()`,
        [`%/* ${marker} */%`],
      );
      expect(running).toHaveLength(count);
    });

  it('returns integers as numbers and times as text in UTC', async () => {
    const text = `SELECT 9007199254740991::int8 AS cents, '2026-05-01T12:00:00.123+02'::timestamptz AS at, 1.5::float8 AS miles,
        true AS flag, ARRAY['a', 'b'] AS labels, NULL::int8 AS nothing, '{"a":1}'::json AS json`;
    expect(await readOn(reads, { name: 'types', text })).toEqual([
      {
        cents: 9007199254740991,
        at: '2026-05-01T10:00:00.123Z',
        miles: 1.5,
        flag: true,
        labels: ['a', 'b'],
        nothing: null,
        json: { a: 1 },
      },
    ]);
  });

  it('reads for each principal type under its own role, read-only and with limits, without a further round trip', async () => {
    const session = {
      name: 'session',
      text: `SELECT current_user AS role, current_setting('default_transaction_read_only') AS "readOnly",
        current_setting('statement_timeout') AS "timeout", current_setting('timezone') AS zone,
        current_setting('application_name') AS "name"`,
    };
    const readOnce = (node: ReadNode): Promise<unknown[]> => node.query(session, [], signal);
    const [reader, assistant] = ['deal_sets_reader', 'deal_sets_assistant'];
    for (const [rows, role, name] of [
      [await reads.read('session', signal, readOnce), reader, 'deal-sets session reads'],
      [await reads.read('assistant', signal, readOnce), assistant, 'deal-sets assistant reads'],
      [await readOnce(reads.signIn), reader, 'deal-sets sign-in'],
    ])
      expect(rows).toEqual([{ readOnly: 'on', timeout: '8s', zone: 'UTC', role, name }]);
  });

  it('uses the logins for reading, where they are set, and sends no options', async () => {
    const login = (username: string, password: string): string =>
      Object.assign(new URL(database.url), { username, password }).href;
    own = await readsOn(database.url, {
      readerUrl: login('reading_login', 'read'),
      assistantUrl: login('assisting_login', 'assist'),
      replicaUrl: database.url.replace('127.0.0.1', 'localhost'),
    });
    const text = `SELECT session_user AS login, current_setting('statement_timeout') AS "timeout"`;
    const readOnce = (node: ReadNode): Promise<unknown[]> =>
      node.query({ name: 'w', text }, [], signal);
    expect(await readOnce(own.signIn)).toEqual([{ login: 'reading_login', timeout: '0' }]);
    expect(await own.read('assistant', signal, readOnce)).toEqual([
      { login: 'assisting_login', timeout: '0' },
    ]);
  });

  it.each([true, false])('uses named statements: %s', async (hasNamedStatements) => {
    own = await readsOn(database.url, { hasNamedStatements, poolSize: 1 });
    const text = 'SELECT name FROM pg_prepared_statements ORDER BY 1';
    const names = await readOn(own, { name: 'prepared', text });
    expect(names).toEqual(hasNamedStatements ? [{ name: 'prepared' }] : []);
  });

  it('passes an error of a statement on unchanged, and keeps working', async () => {
    const broken = { name: 'broken', text: 'SELECT 1 / $1::int' };
    await expect(readOn(reads, broken, [0])).rejects.toMatchObject({ code: '22012' });
    expect(await readOn(reads, ECHO, [7])).toEqual([{ value: 7 }]);
  });

  it.each(['53300', '55P03', '57014', '25006'])('maps %s to unavailable', async (state) => {
    await database.query(`CREATE OR REPLACE FUNCTION raise_state(state text) RETURNS void LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = state; END $$`);
    const raise = { name: 'raise', text: 'SELECT raise_state($1)' };
    await expect(readOn(reads, raise, [state])).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('rejects a read at once when too many wait', async () => {
    const busy = await readsOn(database.url, { poolSize: 1 });
    own = busy;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, () => readOn(busy, sleepAs('busy'), [0.01])),
    );
    const rejected = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(rejected).toHaveLength(40);
    for (const { reason } of rejected)
      expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  });

  it('waits a bounded time for a connection', async () => {
    own = await readsOn(database.url, { poolSize: 1 }, { databaseConnectionMs: 1_000 });
    await readOn(own, ECHO, [1]);
    const holding = new AbortController();
    const held = own.read('session', holding.signal, (node) =>
      node.query(sleepAs('holds'), [6], holding.signal),
    );
    const startedAt = performance.now();
    await expect(readOn(own, ECHO, [1])).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 1,
    });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    const reason = new Error('over');
    holding.abort(reason);
    await expect(held).rejects.toBe(reason);
  });

  it('sends two statements at once, and the second sees what was committed while the first ran', async () => {
    await database.query('CREATE TABLE IF NOT EXISTS public.made (id integer)');
    await database.query('GRANT SELECT ON public.made TO deal_sets_reader');
    const count = { name: 'made', text: 'SELECT count(*) AS made FROM public.made' };
    const reading = reads.read('session', signal, (node) =>
      node.queryInSequence(
        { statement: sleepAs('first of two'), values: [1] },
        { statement: count, values: [] },
        signal,
      ),
    );
    await untilRunning('first of two', 1);
    await database.query('INSERT INTO public.made VALUES (1)');
    expect(await reading).toEqual([[{ pg_sleep: '' }], [{ made: 1 }]]);
    await database.query('DROP TABLE public.made');
  });

  it('cancels the second of two statements, too, when the client disconnects during the first', async () => {
    const single = await readsWithoutTimeout();
    own = single;
    const leaving = new AbortController();
    const reading = single.read('session', leaving.signal, (node) =>
      node.queryInSequence(
        { statement: sleepAs('left first'), values: [600] },
        { statement: sleepAs('left second'), values: [600] },
        leaving.signal,
      ),
    );
    await untilRunning('left first', 1);
    const reason = new Error('left');
    leaving.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await untilRunning('left first', 0);
    await untilRunning('left second', 0);
    expect(await readOn(single, ECHO, [7])).toEqual([{ value: 7 }]);
  });

  it('runs both of two statements once more when the connection is killed under the first', async () => {
    const statements = (node: ReadNode) =>
      node.queryInSequence(
        { statement: sleepAs('killed first'), values: [1] },
        { statement: ECHO, values: [3] },
        signal,
      );
    const reading = reads.read('session', signal, statements);
    await untilRunning('killed first', 1);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE query LIKE '%/* killed first */%' AND pid <> pg_backend_pid()`,
    );
    expect(await reading).toEqual([[{ pg_sleep: '' }], [{ value: 3 }]]);
  });

  it('retries a read once when the connection is killed under the statement', async () => {
    const echoed = { name: 'killed', text: 'SELECT $2::text AS marker, pg_sleep($1) /* killed */' };
    let attempts = 0;
    const reading = reads.read('session', signal, (node) => {
      attempts++;
      return node.query(echoed, [attempts === 1 ? 30 : 0, 'answered'], signal);
    });
    await untilRunning('killed', 1);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%/* killed */' AND pid <> pg_backend_pid()`,
    );
    expect(await reading).toMatchObject([{ marker: 'answered' }]);
    expect(attempts).toBe(2);
  });

  it('starts nothing once the signal is aborted, and rejects with its reason', async () => {
    const reason = new Error('over');
    const reading = reads.signIn.query(ECHO, [1], AbortSignal.abort(reason));
    await expect(reading).rejects.toBe(reason);
    expect(reads.poolStates()[0]).toEqual(['sign_in', { total: 1, idle: 1, waiting: 0 }]);
  });

  it('rejects at the deadline, stops the server, and never lends that connection again', async () => {
    const single = await readsWithoutTimeout();
    own = single;
    await readOn(single, ECHO, [1]);
    await expect(readOn(single, sleepAs('deadline'), [600], 200)).rejects.toMatchObject({
      name: 'AppError',
      code: 'unavailable',
    });
    await untilRunning('deadline', 0);
    const closed = ['reader', expect.objectContaining({ total: 0 })];
    await eventually(() => expect(single.poolStates()).toContainEqual(closed));
    expect(await readOn(single, ECHO, [1])).toEqual([{ value: 1 }]);
  });

  it('stops a statement that its cancel request overtook', async () => {
    const proxy = await TcpProxy.start(portOf(database.url));
    own = await readsWithoutTimeout(proxiedUrl(proxy, database.url));
    await readOn(own, ECHO, [1]);
    proxy.hold();
    await expect(readOn(own, sleepAs('overtaken'), [600], 200)).rejects.toMatchObject({
      code: 'unavailable',
    });
    // The first request finds nothing to cancel; then the statement arrives.
    await new Promise((resolve) => setTimeout(resolve, 60));
    proxy.heal();
    // Without a second one it would run for ten minutes.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await untilRunning('overtaken', 0);
    await proxy.stop();
  });

  /**
   * A result that arrives while the event loop is blocked is in time: no limit may discard it
   * unread.
   */
  it('succeeds when the event loop is blocked beyond the deadline until the statement has ended', async () => {
    const LOCK = 7319;
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
    const controller = new AbortController();
    const text = `SELECT pg_advisory_xact_lock(${LOCK})::text, 'late' AS result /* late */`;
    const statement = { name: 'late', text };
    const reading = reads.read('session', controller.signal, (node) =>
      node.query(statement, [], controller.signal),
    );
    await untilRunning('late', 1);
    afterTime(100, () => controller.abort(new AppError('unavailable')));
    const unlocked = holder.query(`SELECT pg_advisory_unlock(${LOCK})`);
    // The statement is sent by the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
    expect(await reading).toMatchObject([{ result: 'late' }]);
    await unlocked;
    await holder.end();
  });
});
