import type { ReadDatabase, ReadNode } from '../../src/database/read-database.js';
import { AppError } from '../../src/kernel/app-error.js';
import { afterTime } from '../../src/kernel/time-limit.js';
import { readsOn } from '../setup/reads-on.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

export const SLEEP = { name: 'sleep', text: 'SELECT pg_sleep($1), $2::text AS marker' };
export const ECHO = { name: 'echo', text: 'SELECT $1::int8 AS value, pg_backend_pid() AS pid' };

export interface Echo {
  readonly value: number;
  readonly pid: number;
}

/** The signal of a request with a deadline that long from now. */
export function endsAfter(budgetMs: number): AbortSignal {
  const controller = new AbortController();
  afterTime(budgetMs, () => controller.abort(new AppError('unavailable')));
  return controller.signal;
}

/** Reads as the session does, with a deadline that long from now. */
export function readAsSession<Result>(
  reads: ReadDatabase,
  work: (node: ReadNode, signal: AbortSignal) => Promise<Result>,
  budgetMs = 8000,
): Promise<Result> {
  const signal = endsAfter(budgetMs);
  return reads.read('session', signal, (node) => work(node, signal));
}

/** The database of a file's tests, and read pools of each test's own. */
export interface ReadSuite {
  readonly database: TestDatabase;
  /** Five connections each; closed after the test. */
  readonly reads: ReadDatabase;
  readonly echo: (value: number) => Promise<Echo[]>;
  /** Statements with this marker that run on the server for the reads under test. */
  readonly running: (marker: string) => Promise<object[]>;
}

/** Makes a database before a file's tests, and read pools before each. */
export function readSuite(): ReadSuite {
  let database: TestDatabase;
  let reads: ReadDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    reads = await readsOn(database.url, { poolSize: 5 });
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
      readAsSession(reads, (node, signal) => node.query<Echo>(ECHO, [value], signal)),
    running: (marker) =>
      database.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE $1`,
        [`%pg_sleep($1)%${marker}%`],
      ),
  };
}
