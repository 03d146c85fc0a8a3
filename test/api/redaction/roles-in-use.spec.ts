import { Client } from 'pg';
import type { ReadNode } from '../../../src/database/cancellable-reader.js';
import { ReadDatabase } from '../../../src/database/read-database.js';
import { PRINCIPAL_TYPES, type PrincipalType } from '../../../src/kernel/principal.js';
import { insert, smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const POLL = `${LIST}?since=1970-01-01T00:00:00Z`;
const ROLES: Readonly<Record<PrincipalType, string>> = {
  session: 'deal_sets_reader',
  assistant: 'deal_sets_assistant',
};
/** One statement of each kind. `operations/reading-roles` tests that no other column is granted. */
const REJECTED = [
  'SELECT name FROM deal_sets.dealership',
  'SELECT count(*) FROM deal_sets.dealership',
  'SELECT p::text FROM deal_sets.price_check p',
  'SELECT id FROM deal_sets.price_check ORDER BY distance_miles',
  'SELECT id FROM deal_sets.price_check WHERE distance_miles > 10',
  'SELECT * FROM deal_sets.request_summary(NULL, NULL)',
  'SELECT deal_sets.feed_stamp_buyer(NULL)',
  `SELECT lo_import('/etc/passwd')`,
  `SELECT pg_read_file('/etc/passwd')`,
];

const world = smallWorld();
let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  await insert(database, world.records);
  service = await TestService.start({ database });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

interface SessionState {
  readonly who: string;
  readonly read_only: string;
  readonly pid: number;
  readonly limit: string;
}
const SESSION_STATE = `SELECT current_user::text AS who, current_setting('transaction_read_only') AS read_only,
  pg_backend_pid() AS pid, current_setting('statement_timeout') AS limit`;
const runAs = (type: PrincipalType, text: string, on = service): Promise<SessionState[]> => {
  const signal = AbortSignal.timeout(5_000);
  return on.app
    .get(ReadDatabase, { strict: false })
    .read(type, signal, (node: ReadNode) =>
      node.query<SessionState>({ name: '', text }, [], signal),
    );
};

describe('the service’s own connections', () => {
  it.each(PRINCIPAL_TYPES)(
    'run under the role of the %s, reading only, also after a reconnect',
    async (type) => {
      const [before] = await runAs(type, SESSION_STATE);
      expect(before).toMatchObject({ who: ROLES[type], read_only: 'on', limit: '8s' });
      await database.query('SELECT pg_terminate_backend($1)', [before!.pid]);
      const [after] = await runAs(type, SESSION_STATE);
      expect(after!.pid).not.toBe(before!.pid);
      expect(after).toMatchObject({ who: ROLES[type], read_only: 'on', limit: '8s' });
    },
  );

  it('run under that role also on a replica', async () => {
    const replica = Object.assign(new URL(database.url), { search: '?connect_timeout=7' }).href;
    const env = { DATABASE_REPLICA_URL: replica };
    const replicated = await TestService.start({ database, env });
    for (const type of PRINCIPAL_TYPES)
      expect((await runAs(type, SESSION_STATE, replicated))[0]).toMatchObject({
        who: ROLES[type],
        read_only: 'on',
      });
    await replicated.stop();
  });

  it.each(REJECTED)('reject an assistant’s statement: %s', async (sql) => {
    await expect(runAs('assistant', sql)).rejects.toMatchObject({ code: '42501' });
  });

  it('cannot write by any statement', async () => {
    const stored = (): Promise<object[]> =>
      database.query(`SELECT (SELECT count(*) FROM deal_sets.buyer) AS buyers, (SELECT count(*) FROM deal_sets.deal_set WHERE ended_at IS NULL) AS sets,
        to_regclass('public.mine') AS mine`);
    const before = await stored();
    for (const type of PRINCIPAL_TYPES) {
      for (const sql of [
        'CREATE TABLE mine (id int)',
        'UPDATE deal_sets.deal_set SET ended_at = now()',
        'INSERT INTO deal_sets.buyer VALUES (gen_random_uuid())',
        'DELETE FROM deal_sets.reply',
      ]) {
        await expect(runAs(type, sql)).rejects.toThrow();
      }
    }
    expect(await stored()).toEqual(before);
  });
});

describe('an assistant’s statements', () => {
  /** Counts the statements that the service sends to its database for a request. */
  async function countStatements(target: string, credential: Credential): Promise<number> {
    await service.get(target, credential);
    const query = jest.spyOn(Client.prototype, 'query');
    await service.get(target, credential);
    const statements = query.mock.calls.length;
    query.mockRestore();
    return statements;
  }

  it.each([
    ['the list', LIST, 2],
    ['a deal set', world.getPath, 2],
    ['a poll that finds nothing', `${LIST}?since=2100-01-01T00:00:00Z`, 3],
    ['a poll that finds changes', POLL, 4],
  ] as const)('are no more than the buyer’s own for %s', async (_what, target, most) => {
    const buyers = await countStatements(target, world.session);
    expect(await countStatements(target, await service.tokenFor(world.buyer.id))).toBe(buyers);
    expect(buyers).toBeGreaterThan(0);
    expect(buyers).toBeLessThanOrEqual(most);
  });

  it('count the replies of a page by one more', async () => {
    await database.query('UPDATE deal_sets.buyer SET changes_granted = true WHERE id = $1', [
      world.buyer.id,
    ]);
    const assistant = await service.tokenFor(world.buyer.id);
    expect((await service.get(POLL, assistant)).text).toContain('newReplies');
    expect(await countStatements(POLL, assistant)).toBeLessThanOrEqual(5);
  });
});
