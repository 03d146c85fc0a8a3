import { SIGN_IN_LIMIT_MS } from '../../src/auth/credential.guard.js';
import type { ReadNode } from '../../src/database/cancellable-reads.js';
import type { ReadDatabase } from '../../src/database/read-database.js';
import { AppError } from '../../src/kernel/app-error.js';
import { afterTime, TimeLimitError, withTimeLimit } from '../../src/kernel/time-limit.js';
import { eventually } from '../setup/eventually.js';
import { readsOn } from '../setup/reads-on.js';
import { TcpProxy } from '../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

const SLEEP = { name: 'sleep', text: 'SELECT pg_sleep($1), $2::text AS marker' };
const ECHO = { name: 'echo', text: 'SELECT $1::int8 AS value, pg_backend_pid() AS pid' };

interface Echo {
  readonly value: number;
  readonly pid: number;
}

/** The signal of a request with a deadline that long from now. */
function endsAfter(budgetMs: number): AbortSignal {
  const controller = new AbortController();
  afterTime(budgetMs, () => controller.abort(new AppError('unavailable')));
  return controller.signal;
}

/** Reads as the session does, with a deadline that long from now. */
function readAsSession<Result>(
  reads: ReadDatabase,
  work: (node: ReadNode, signal: AbortSignal) => Promise<Result>,
  budgetMs = 8000,
): Promise<Result> {
  const signal = endsAfter(budgetMs);
  return reads.read('session', signal, (node) => work(node, signal));
}

describe('the read database', () => {
  let database: TestDatabase;
  /** Five connections a pool. */
  let reads: ReadDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    reads = await readsOn(database.url, { poolSize: 5 });
  });
  afterEach(() => reads.close());
  afterAll(() => database.drop());

  const echo = (value: number): Promise<Echo[]> =>
    readAsSession(reads, (node, signal) => node.query<Echo>(ECHO, [value], signal));
  /** Statements with this marker that run on the server. */
  const running = (marker: string): Promise<object[]> =>
    database.query(
      `SELECT pid FROM pg_stat_activity
       WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()`,
      [`%pg_sleep(%${marker}%`],
    );

  it('brings integers as numbers and times as text in UTC', async () => {
    const types = {
      name: 'types',
      text: `SELECT 9007199254740991::int8 AS cents, '2026-05-01T12:00:00.123+02'::timestamptz AS at, 1.5::float8 AS miles,
        true AS flag, ARRAY['a', 'b'] AS labels, NULL::int8 AS nothing, '{"a":1}'::json AS json`,
    };
    expect(await readAsSession(reads, (node, signal) => node.query(types, [], signal))).toEqual([
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

  it('reads each principal type under its own role, read-only and with limits, without a further round trip', async () => {
    const session = {
      name: 'session',
      text: `SELECT current_user AS role, current_setting('default_transaction_read_only') AS "readOnly",
        current_setting('statement_timeout') AS "timeout", current_setting('timezone') AS zone,
        current_setting('application_name') AS "name"`,
    };
    const { signal } = new AbortController();
    const limits = { readOnly: 'on', timeout: '8s', zone: 'UTC' };
    expect(await reads.read('session', signal, (node) => node.query(session, [], signal))).toEqual([
      { ...limits, role: 'deal_sets_reader', name: 'deal-sets session reads' },
    ]);
    expect(
      await reads.read('assistant', signal, (node) => node.query(session, [], signal)),
    ).toEqual([{ ...limits, role: 'deal_sets_assistant', name: 'deal-sets assistant reads' }]);
    expect(await reads.signIn.query(session, [], signal)).toEqual([
      { ...limits, role: 'deal_sets_reader', name: 'deal-sets sign-in' },
    ]);
  });

  it('enters with the logins for reading, where they are set, and sends no options', async () => {
    const address = new URL(database.url);
    await database.query(`
      DO $$ BEGIN
        CREATE ROLE reading_login LOGIN PASSWORD 'read' IN ROLE deal_sets_reader;
        CREATE ROLE assisting_login LOGIN PASSWORD 'assist' IN ROLE deal_sets_assistant;
      EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    const login = (name: string, password: string): string =>
      Object.assign(new URL(address), { username: name, password }).href;
    const own = await readsOn(database.url, {
      readerUrl: login('reading_login', 'read'),
      assistantUrl: login('assisting_login', 'assist'),
      replicaUrl: address.href.replace('127.0.0.1', 'localhost'),
    });
    const { signal } = new AbortController();
    const statement = {
      name: 'w',
      text: `SELECT session_user AS login, current_setting('statement_timeout') AS "timeout"`,
    };
    const asked = [
      await own.signIn.query(statement, [], signal),
      await own.read('assistant', signal, (node) => node.query(statement, [], signal)),
    ];
    expect(asked).toEqual([
      [{ login: 'reading_login', timeout: '0' }],
      [{ login: 'assisting_login', timeout: '0' }],
    ]);
    await own.close();
  });

  it.each([true, false])('uses named statements: %s', async (hasNamedStatements) => {
    const own = await readsOn(database.url, { hasNamedStatements, poolSize: 1 });
    const { signal } = new AbortController();
    const prepared = {
      name: 'prepared',
      text: 'SELECT name FROM pg_prepared_statements ORDER BY 1',
    };
    const names = await own.read('session', signal, (node) => node.query(prepared, [], signal));
    expect(names).toEqual(hasNamedStatements ? [{ name: 'prepared' }] : []);
    await own.close();
  });

  it('passes a defect on as it came, and goes on working', async () => {
    const broken = { name: 'broken', text: 'SELECT 1 / $1::int' };
    await expect(
      readAsSession(reads, (node, signal) => node.query(broken, [0], signal)),
    ).rejects.toMatchObject({ code: '22012' });
    expect(await echo(7)).toMatchObject([{ value: 7 }]);
  });

  it.each([
    ['53300', 'unavailable'],
    ['55P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['25006', 'unavailable'],
  ])('answers %s with %s', async (state, code) => {
    await database.query(`CREATE OR REPLACE FUNCTION raise_state(state text) RETURNS void LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = state; END $$`);
    const raise = { name: 'raise', text: 'SELECT raise_state($1)' };
    await expect(
      readAsSession(reads, (node, signal) => node.query(raise, [state], signal)),
    ).rejects.toMatchObject({ code });
  });

  it('turns a read away at once when too many wait', async () => {
    const own = await readsOn(database.url, { poolSize: 1 });
    const one = (): Promise<unknown> =>
      readAsSession(own, (node, signal) => node.query(SLEEP, [0.01, 'busy'], signal));
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, one));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(40);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    await own.close();
  });

  it('waits a bounded time for a connection', async () => {
    const own = await readsOn(database.url, { poolSize: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const holding = own.read('session', signal, (node) => node.query(SLEEP, [4, 'holds'], signal));
    const startedAt = performance.now();
    await expect(
      own.read('session', signal, (node) => node.query(ECHO, [1], signal)),
    ).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 1,
    });
    const waitedMs = performance.now() - startedAt;
    expect(waitedMs).toBeGreaterThan(1500);
    expect(waitedMs).toBeLessThan(3500);
    controller.abort(new AppError('unavailable'));
    await expect(holding).rejects.toMatchObject({ code: 'unavailable' });
    await own.close();
  });

  it('answers although every connection was killed, idle or not', async () => {
    await Promise.all([1, 2, 3, 4].map(echo));
    const killed = await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'deal-sets %'`,
    );
    expect(killed.length).toBeGreaterThan(1);
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(echo));
    expect(answers.map(([row]) => row?.value)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('reads once more when the connection is killed under the statement', async () => {
    const sleep = { name: 'sleep_killed', text: `${SLEEP.text} /* m-killed */` };
    let attempts = 0;
    const reading = readAsSession(reads, (node, signal) => {
      attempts++;
      return node.query<{ marker: string }>(sleep, [attempts === 1 ? 30 : 0, 'answered'], signal);
    });
    await eventually(async () => expect(await running('m-killed')).toHaveLength(1), 5000);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%m-killed%' AND pid <> pg_backend_pid()`,
    );
    expect(await reading).toMatchObject([{ marker: 'answered' }]);
    expect(attempts).toBe(2);
  });

  it('says unavailable when there is no server, without delay', async () => {
    const nowhere = await readsOn(database.url.replace(/:\d+\//, ':1/'));
    const { signal } = new AbortController();
    const startedAt = performance.now();
    await expect(
      nowhere.read('assistant', signal, (node) => node.query(ECHO, [1], signal)),
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(nowhere.signIn.query(ECHO, [1], signal)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(performance.now() - startedAt).toBeLessThan(2000);
    await nowhere.close();
  });

  it('starts nothing once the signal is aborted, and rejects with its reason', async () => {
    const reason = new Error('over');
    const reading = reads.signIn.query(ECHO, [1], AbortSignal.abort(reason));
    await expect(reading).rejects.toBe(reason);
    expect(reads.poolStates()[0]).toEqual(['sign_in', { total: 1, idle: 1, waiting: 0 }]);
  });

  it('rejects at the deadline, stops the server, and never lends that connection again', async () => {
    const marker = 'm-deadline';
    const sleep = { name: 'sleep_deadline', text: `${SLEEP.text} /* ${marker} */` };
    const startedAt = performance.now();
    await expect(
      readAsSession(reads, (node, signal) => node.query(sleep, [30, marker], signal), 200),
    ).rejects.toMatchObject({
      name: 'AppError',
      code: 'unavailable',
    });
    expect(performance.now() - startedAt).toBeLessThan(1500);
    await eventually(async () => expect(await running(marker)).toEqual([]), 2000);
    const closed = ['reader', expect.objectContaining({ total: 0 })];
    await eventually(() => expect(reads.poolStates()).toContainEqual(closed), 2000);
    expect(await echo(1)).toMatchObject([{ value: 1 }]);
  });

  it('gives up at a limit of its own, and stops the server too', async () => {
    const sleep = { name: 'sleep_limit', text: `${SLEEP.text} /* m-limit */` };
    await expect(
      withTimeLimit(100, undefined, (limit) => reads.signIn.query(sleep, [30, 'x'], limit)),
    ).rejects.toThrow(TimeLimitError);
    await eventually(async () => expect(await running('m-limit')).toEqual([]), 2000);
  });

  it('stops the server when the client goes away', async () => {
    const controller = new AbortController();
    const sleep = { name: 'sleep_gone', text: `${SLEEP.text} /* m-gone */` };
    const reading = reads.signIn.query(sleep, [30, 'x'], controller.signal);
    const outcome = reading.then(
      () => 'answered',
      (error: unknown) => (error as AppError).code,
    );
    await eventually(async () => expect(await running('m-gone')).toHaveLength(1), 5000);
    controller.abort(new AppError('unavailable'));
    expect(await outcome).toBe('unavailable');
    await eventually(async () => expect(await running('m-gone')).toEqual([]), 2000);
  });

  it('stops a statement that its cancel request overtook', async () => {
    const proxy = await TcpProxy.start(Number(new URL(database.url).port));
    const url = Object.assign(new URL(database.url), { port: String(proxy.port) }).href;
    const own = await readsOn(url, { poolSize: 1 });
    await readAsSession(own, (node, signal) => node.query(ECHO, [1], signal));
    proxy.hold();
    const late = { name: 'late', text: `SELECT pg_sleep(8) /* m-overtaken */` };
    await expect(
      readAsSession(own, (node, signal) => node.query(late, [], signal), 200),
    ).rejects.toMatchObject({ code: 'unavailable' });
    // The first request finds nothing to cancel; then the statement arrives.
    await new Promise((resolve) => setTimeout(resolve, 60));
    proxy.heal();
    // Without a second one it would run for eight seconds.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await eventually(async () => expect(await running('m-overtaken')).toEqual([]), 2_000);
    await own.close();
    await proxy.stop();
  });
});

const SLOW = { name: 'slow', text: `SELECT pg_sleep(0.3), 'blocked' AS result` };
/** Longer than every limit below, the second of a sign-in too. */
const BLOCKED_MS = 1200;

/** A result that arrives while the event loop is busy is there in time: no limit may give it up unread. */
describe('a statement that ends while the event loop is blocked beyond its limit', () => {
  let database: TestDatabase;
  let reads: ReadDatabase;
  let signal: AbortSignal;
  beforeAll(async () => {
    database = await createTestDatabase();
    reads = await readsOn(database.url, { poolSize: 2 });
  });
  afterAll(async () => {
    await reads.close();
    await database.drop();
  });

  /** Once the statement runs, nothing else of this process does until long after it has ended. */
  async function blockWhileItRuns(): Promise<void> {
    const running = `SELECT 1 FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%pg_sleep(0.3)%'`;
    await eventually(async () => expect(await database.query(running)).toHaveLength(1), 5000);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
  }

  const onSession = (ask: (node: ReadNode) => Promise<unknown[]>): Promise<unknown[]> =>
    reads.read('session', signal, ask);

  it.each<[string, number, () => Promise<unknown[]>]>([
    ['the deadline', 1000, () => onSession((node) => node.query(SLOW, [], signal))],
    [
      'the limit of a sign-in',
      8000,
      () => withTimeLimit(SIGN_IN_LIMIT_MS, signal, (limit) => reads.signIn.query(SLOW, [], limit)),
    ],
  ])('succeeds under %s', async (_limit, budgetMs, ask) => {
    // The connection is made first, so that only the statement takes time.
    signal = endsAfter(8000);
    await onSession((node) => node.query({ name: 'one', text: 'SELECT 1' }, [], signal));
    await reads.signIn.query({ name: 'one', text: 'SELECT 1' }, [], signal);

    signal = endsAfter(budgetMs);
    const asked = ask();
    await blockWhileItRuns();
    expect(await asked).toEqual([expect.objectContaining({ result: 'blocked' })]);
  });
});
