import type { Statement } from '../../src/database/read-database.js';
import { AppError } from '../../src/kernel/app-error.js';
import { eventually } from '../setup/eventually.js';
import { readsOn } from '../setup/reads-on.js';
import { ECHO, readAsSession, readSuite, SLEEP } from './read-suite.js';

describe('the read database', () => {
  const suite = readSuite();

  it('brings integers as numbers and times as text in UTC', async () => {
    const types = {
      name: 'types',
      text: `SELECT 9007199254740991::int8 AS cents, '2026-05-01T12:00:00.123+02'::timestamptz AS at, 1.5::float8 AS miles,
        true AS flag, ARRAY['a', 'b'] AS labels, NULL::int8 AS nothing, '{"a":1}'::json AS json`,
    };
    expect(
      await readAsSession(suite.reads, (node, signal) => node.query(types, [], signal)),
    ).toEqual([
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
    expect(
      await suite.reads.read('session', signal, (node) => node.query(session, [], signal)),
    ).toEqual([{ ...limits, role: 'deal_sets_reader', name: 'deal-sets session reads' }]);
    expect(
      await suite.reads.read('assistant', signal, (node) => node.query(session, [], signal)),
    ).toEqual([{ ...limits, role: 'deal_sets_assistant', name: 'deal-sets assistant reads' }]);
    expect(await suite.reads.signIn.query(session, [], signal)).toEqual([
      { ...limits, role: 'deal_sets_reader', name: 'deal-sets sign-in' },
    ]);
  });

  it('keeps the options that the address brings', async () => {
    const url = new URL(suite.database.url);
    url.searchParams.set('options', '-c work_mem=7MB -c statement_timeout=1');
    const own = await readsOn(url.href);
    const { signal } = new AbortController();
    const statement = {
      name: 's',
      text: `SELECT current_setting('work_mem') AS memory, current_setting('statement_timeout') AS "timeout"`,
    };
    expect(await own.signIn.query(statement, [], signal)).toEqual([
      { memory: '7MB', timeout: '8s' },
    ]);
    await own.close();
  });

  it('enters with the logins for reading, where they are set, and sends no options', async () => {
    const address = new URL(suite.database.url);
    await suite.database.query(`
      DO $$ BEGIN
        CREATE ROLE reading_login LOGIN PASSWORD 'read' IN ROLE deal_sets_reader;
        CREATE ROLE assisting_login LOGIN PASSWORD 'assist' IN ROLE deal_sets_assistant;
      EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    const login = (name: string, password: string): string =>
      Object.assign(new URL(address), { username: name, password }).href;
    const own = await readsOn(suite.database.url, {
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
    const own = await readsOn(suite.database.url, { hasNamedStatements, poolSize: 1 });
    const { signal } = new AbortController();
    const prepared = {
      name: 'prepared',
      text: 'SELECT name FROM pg_prepared_statements ORDER BY 1',
    };
    const names = await own.read('session', signal, (node) => node.query(prepared, [], signal));
    expect(names).toEqual(hasNamedStatements ? [{ name: 'prepared' }] : []);
    await own.close();
  });

  it.each([true, false])(
    'runs a statement again on its connection, named: %s',
    async (hasNamedStatements) => {
      const own = await readsOn(suite.database.url, { hasNamedStatements, poolSize: 1 });
      const { signal } = new AbortController();
      const rows = (statement: Statement, ...values: unknown[]): Promise<object[]> =>
        own.read('session', signal, (node) => node.query(statement, values, signal));
      const numbers = {
        name: 'numbers',
        text: `SELECT n, n % 2 = 0 AS "isEven", CASE WHEN n > 1 THEN 'é' END AS word, $2::uuid[] AS ids
        FROM generate_series(1, $1::int) n`,
      };
      const id = '9c5a2a0e-6a53-4c40-8d0c-0d7a6c9d1f2b';
      const one = { n: 1, isEven: false, word: null, ids: [id] };
      expect(await rows(numbers, 1, [id])).toEqual([one]);
      expect(await rows(numbers, 0, [])).toEqual([]);
      expect(await rows(numbers, 2, [id])).toEqual([
        one,
        { n: 2, isEven: true, word: 'é', ids: [id] },
      ]);
      const noColumns = { name: 'no columns', text: 'SELECT FROM generate_series(1, $1::int)' };
      expect(await rows(noColumns, 2)).toEqual([{}, {}]);
      expect(await rows(noColumns, 1)).toEqual([{}]);
      await own.close();
    },
  );

  it('refuses a second statement of one name, and a parameter that cannot be sent, and goes on working', async () => {
    const own = await readsOn(suite.database.url, { poolSize: 1 });
    const { signal } = new AbortController();
    const run = (text: string, value: unknown): Promise<object[]> =>
      own.read('session', signal, (node) => node.query({ name: 'twice', text }, [value], signal));
    await run('SELECT $1::int AS a', 1);
    await expect(run('SELECT $1::int AS b', 1)).rejects.toThrow(
      'Prepared statements must be unique',
    );
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    await expect(run('SELECT $1::int AS a', circular)).rejects.toThrow('circular');
    expect(await run('SELECT $1::int AS a', 2)).toEqual([{ a: 2 }]);
    await own.close();
  });

  it('passes a defect on as it came, and goes on working', async () => {
    const broken = { name: 'broken', text: 'SELECT 1 / $1::int' };
    await expect(
      readAsSession(suite.reads, (node, signal) => node.query(broken, [0], signal)),
    ).rejects.toMatchObject({ code: '22012' });
    expect(await suite.echo(7)).toMatchObject([{ value: 7 }]);
  });

  it.each([
    ['53300', 'unavailable'],
    ['55P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['25006', 'unavailable'],
  ])('answers %s with %s', async (state, code) => {
    await suite.database
      .query(`CREATE OR REPLACE FUNCTION raise_state(state text) RETURNS void LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = state; END $$`);
    const raise = { name: 'raise', text: 'SELECT raise_state($1)' };
    await expect(
      readAsSession(suite.reads, (node, signal) => node.query(raise, [state], signal)),
    ).rejects.toMatchObject({ code });
  });

  it('turns a read away at once when too many wait', async () => {
    const own = await readsOn(suite.database.url, { poolSize: 1 });
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
    const own = await readsOn(suite.database.url, { poolSize: 1 });
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
    await Promise.all([1, 2, 3, 4].map(suite.echo));
    const killed = await suite.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'deal-sets %'`,
    );
    expect(killed.length).toBeGreaterThan(1);
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(suite.echo));
    expect(answers.map(([row]) => row?.value)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('reads once more when the connection is killed under the statement', async () => {
    const sleep = { name: 'sleep_killed', text: `${SLEEP.text} /* m-killed */` };
    let attempts = 0;
    const reading = readAsSession(suite.reads, (node, signal) => {
      attempts++;
      return node.query<{ marker: string }>(sleep, [attempts === 1 ? 30 : 0, 'answered'], signal);
    });
    await eventually(async () => expect(await suite.running('m-killed')).toHaveLength(1), 5000);
    await suite.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%m-killed%' AND pid <> pg_backend_pid()`,
    );
    expect(await reading).toMatchObject([{ marker: 'answered' }]);
    expect(attempts).toBe(2);
  });

  it('says unavailable when there is no server, without delay', async () => {
    const nowhere = await readsOn(suite.database.url.replace(/:\d+\//, ':1/'));
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
});
