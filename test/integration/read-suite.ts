import { Deadline } from '../../src/kernel/deadline.js';
import type { PostgresReadDatabase } from '../../src/database/postgres-read-database.js';
import type { ReadNode } from '../../src/database/read-database.js';
import { readsOn } from '../setup/reads-on.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

export const SLEEP = { name: 'sleep', text: 'SELECT pg_sleep($1), $2::text AS marker' };
export const ECHO = { name: 'echo', text: 'SELECT $1::int8 AS value, pg_backend_pid() AS pid' };

export interface Echo {
  readonly value: number;
  readonly pid: number;
}

/** Reads as the session does, with a deadline that long from now. */
export function readAsSession<Result>(
  reads: PostgresReadDatabase,
  work: (node: ReadNode, deadline: Deadline) => Promise<Result>,
  budgetMs = 8000,
): Promise<Result> {
  const deadline = new Deadline(budgetMs);
  return reads
    .read('session', deadline, (node) => work(node, deadline))
    .finally(() => deadline.finish());
}

/** The database of a file's tests, and read pools of each test's own. */
export interface ReadSuite {
  readonly database: TestDatabase;
  /** Five connections each; closed after the test. */
  readonly reads: PostgresReadDatabase;
  readonly echo: (value: number) => Promise<Echo[]>;
  /** Statements with this marker that run on the server for the reads under test. */
  readonly running: (marker: string) => Promise<object[]>;
}

/** Makes a database before a file's tests, and read pools before each. */
export function readSuite(): ReadSuite {
  let database: TestDatabase;
  let reads: PostgresReadDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => {
    reads = readsOn(database.url, { poolSize: 5 });
  });
  afterEach(() => reads.close());
  afterAll(() => database.drop());
  return {
    get database() {
      return database;
    },
    get reads() {
      return reads;
    },
    echo: (value) =>
      readAsSession(reads, (node, deadline) => node.query<Echo>(ECHO, [value], deadline)),
    running: (marker) =>
      database.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE $1`,
        [`%pg_sleep($1)%${marker}%`],
      ),
  };
}
