import { Deadline } from '../../src/kernel/deadline.js';
import type { PostgresReadDatabase } from '../../src/database/postgres-read-database.js';
import type { Query, ReadNode } from '../../src/database/read-database.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { eventually } from '../setup/eventually.js';
import { readsOn } from '../setup/reads-on.js';

const COUNT = { name: 'count', text: 'SELECT count(*) AS count FROM written' };
const WAIT = { name: 'wait', text: `SELECT pg_sleep($1), 'together' AS marker` };
const BROKEN = { name: 'broken', text: 'SELECT 1 / $1::int AS result' };
const EVERY_TYPE = {
  name: 'every-type',
  text: `SELECT 'Zoë’s 😀' || repeat('x', 9000) AS long, ''::varchar AS short, NULL::text AS "none",
    '{"name":"Zoë"}'::json AS "asJson", '{"a": 1}'::jsonb AS "asJsonb", 7 AS number, 8::bigint AS big, true AS yes,
    0.5::float8 AS half, '2026-11-22 08:00:00.25+00'::timestamptz AS "at", ARRAY['a', 'ë'] AS list,
    '00000000-0000-4000-8000-000000000001'::uuid AS id`,
};
const WHERE_IT_RUNS = {
  name: 'where',
  text: 'SELECT pg_backend_pid() AS pid, pg_current_xact_id()::text AS transaction',
};

describe.each([
  ['prepared', true],
  ['unnamed', false],
])('statements sent together, %s', (_name, hasNamedStatements) => {
  let database: TestDatabase;
  let reads: PostgresReadDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(
      'CREATE TABLE written (at timestamptz); GRANT SELECT ON written TO PUBLIC',
    );
  });
  beforeEach(() => {
    reads = readsOn(database.url, { poolSize: 2, hasNamedStatements });
  });
  afterEach(() => reads.close());
  afterAll(() => database.drop());

  const together = <Row>(queries: readonly Query[], budgetMs = 8000): Promise<Row[][]> => {
    const deadline = new Deadline(budgetMs);
    return reads
      .read('session', deadline, (node: ReadNode) => node.queryAll<Row[][]>(queries, deadline))
      .finally(() => deadline.finish());
  };
  const running = (): Promise<object[]> =>
    database.query(
      `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active'
        AND query LIKE '%pg_sleep($1)%together%'`,
    );

  it('run in order on one connection, each in a transaction of its own', async () => {
    const query = { statement: WHERE_IT_RUNS, values: [] };
    for (let again = 0; again < 3; again += 1) {
      const rows = await together<{ pid: number; transaction: string }>([query, query]);
      const [first, second] = rows.flat();
      expect(second?.pid).toBe(first?.pid);
      expect(Number(second?.transaction)).toBeGreaterThan(Number(first?.transaction));
    }
  });

  it('have the same values whenever they run', async () => {
    const expected = {
      long: `Zoë’s 😀${'x'.repeat(9000)}`,
      short: '',
      none: null,
      asJson: { name: 'Zoë' },
      asJsonb: { a: 1 },
      number: 7,
      big: 8,
      yes: true,
      half: 0.5,
      at: '2026-11-22T08:00:00.250Z',
      list: ['a', 'ë'],
      id: '00000000-0000-4000-8000-000000000001',
    };
    const query = { statement: EVERY_TYPE, values: [] };
    for (let again = 0; again < 3; again += 1)
      expect(await together([query, query])).toEqual([[expected], [expected]]);
  });

  it('see what was written while the one before ran', async () => {
    const asked = together<{ count?: number }>([
      { statement: WAIT, values: [0.5] },
      { statement: COUNT, values: [] },
    ]);
    await eventually(async () => expect(await running()).toHaveLength(1), 5000);
    await database.query('INSERT INTO written VALUES (now())');
    const [, counted] = await asked;
    expect(counted?.[0]?.count).toBeGreaterThan(0);
  });

  it.each([0, 1])(
    'fail with the failure of statement %i, and the next read succeeds',
    async (at) => {
      const queries = [0, 1].map((place) => ({
        statement: BROKEN,
        values: [place === at ? 0 : 1],
      }));
      await expect(together(queries)).rejects.toThrow('division by zero');
      expect(await together([{ statement: BROKEN, values: [1] }])).toEqual([[{ result: 1 }]]);
    },
  );

  it('are all stopped at the deadline', async () => {
    const sleeps = ['first', 'second'].map((name) => ({
      statement: { ...WAIT, name },
      values: [30],
    }));
    await expect(together(sleeps, 300)).rejects.toMatchObject({ code: 'unavailable' });
    await eventually(async () => expect(await running()).toEqual([]), 4000);
    await eventually(() => expect(reads.poolStates().reader.total).toBe(0), 4000);
  });
});
