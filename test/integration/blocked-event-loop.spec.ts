import { SIGN_IN_LIMIT_MS } from '../../src/auth/credential.guard.js';
import type { ReadDatabase, ReadNode } from '../../src/database/read-database.js';
import { withTimeLimit } from '../../src/kernel/time-limit.js';
import { eventually } from '../setup/eventually.js';
import { readsOn } from '../setup/reads-on.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { endsAfter } from './read-suite.js';

const SLOW = { name: 'slow', text: `SELECT pg_sleep(0.3), 'blocked' AS result` };
/** Longer than every limit below, the second of a sign-in too. */
const BLOCKED_MS = 1500;

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
    ['a limit of its own', 8000, () => onSession((node) => node.query(SLOW, [], signal, 1000))],
    ['a look-up’s limit', 8000, () => reads.signIn.query(SLOW, [], signal, 1000)],
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
