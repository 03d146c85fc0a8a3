import { ReadDatabase } from '../../../src/index.js';
import type { ReadNode } from '../../../src/database/cancellable-reads.js';
import { PRINCIPAL_TYPES, type PrincipalType } from '../../../src/kernel/principal.js';
import { load, smallWorld } from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';
import { RoundTrips } from './round-trips.js';

const ROLES: Readonly<Record<PrincipalType, string>> = {
  session: 'deal_sets_reader',
  assistant: 'deal_sets_assistant',
};
/** One statement of each form; that no other column is granted: `operations/reading-roles`. */
const REFUSED = [
  'SELECT name FROM dealership',
  'SELECT count(*) FROM dealership',
  'SELECT p::text FROM price_check p',
  'SELECT id FROM price_check ORDER BY distance_miles',
  'SELECT id FROM price_check WHERE distance_miles > 10',
  'SELECT * FROM deal_sets.request_summary(NULL, NULL)',
  'SELECT deal_sets.feed_enter_history()',
  `SELECT lo_import('/etc/passwd')`,
  `SELECT pg_read_file('/etc/passwd')`,
];

const world = smallWorld();
let database: TestDatabase;
let service: TestService;
let trips: RoundTrips;

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  const url = new URL(database.url);
  trips = await RoundTrips.start(url);
  const wired = Object.assign(new URL(database.url), { port: String(trips.port) }).href;
  service = await TestService.start({ database, env: { DATABASE_URL: wired } });
});
afterAll(async () => {
  await service.stop();
  await trips.stop();
  await database.drop();
});

interface Standing {
  who: string;
  read_only: string;
  pid: number;
  limit: string;
}
const STANDING = {
  name: 'test_standing',
  text: `SELECT current_user::text AS who, current_setting('transaction_read_only') AS read_only,
    pg_backend_pid() AS pid, current_setting('statement_timeout') AS limit`,
};
const standing = (type: PrincipalType, on = service): Promise<Standing> => {
  const signal = AbortSignal.timeout(5_000);
  return on.app.get(ReadDatabase, { strict: false }).read(type, signal, async (node: ReadNode) => {
    const [row] = await node.query<Standing>(STANDING, [], signal);
    if (!row) throw new Error('no standing');
    return row;
  });
};
const runAs = (type: PrincipalType, text: string): Promise<unknown> => {
  const signal = AbortSignal.timeout(5_000);
  return service.app
    .get(ReadDatabase, { strict: false })
    .read(type, signal, (node: ReadNode) => node.query({ name: '', text }, [], signal));
};

describe('the service’s own connections', () => {
  it.each(PRINCIPAL_TYPES)(
    'of the %s run under its role, reading only, after a reconnect too',
    async (type) => {
      const before = await standing(type);
      expect(before).toMatchObject({ who: ROLES[type], read_only: 'on', limit: '8s' });
      await database.query('SELECT pg_terminate_backend($1)', [before.pid]);
      const after = await standing(type);
      expect(after.pid).not.toBe(before.pid);
      expect(after).toMatchObject({ who: ROLES[type], read_only: 'on', limit: '8s' });
    },
  );

  it('run so on a replica too', async () => {
    const replica = Object.assign(new URL(database.url), { search: '?connect_timeout=7' }).href;
    const env = { DATABASE_REPLICA_URL: replica };
    const replicated = await TestService.start({ database, env });
    for (const type of PRINCIPAL_TYPES)
      expect(await standing(type, replicated)).toMatchObject({ who: ROLES[type], read_only: 'on' });
    await replicated.stop();
  });

  it.each(REFUSED)('of an assistant are refused: %s', async (sql) => {
    await expect(runAs('assistant', sql)).rejects.toMatchObject({ code: '42501' });
  });

  it('cannot write by any statement', async () => {
    const stored = (): Promise<object[]> =>
      database.query(`SELECT (SELECT count(*) FROM buyer) AS buyers, (SELECT count(*) FROM deal_set WHERE ended_at IS NULL) AS sets,
        to_regclass('public.mine') AS mine`);
    const before = await stored();
    for (const type of PRINCIPAL_TYPES) {
      for (const sql of [
        'CREATE TABLE mine (id int)',
        'UPDATE deal_set SET ended_at = now()',
        'INSERT INTO buyer VALUES (gen_random_uuid())',
        'DELETE FROM reply',
      ]) {
        await expect(runAs(type, sql)).rejects.toThrow();
      }
    }
    expect(await stored()).toEqual(before);
  });
});

describe('an assistant’s statements', () => {
  it('take no more round trips than the buyer’s own', async () => {
    const assistant = await service.tokenFor(world.anna.id);
    const targets = [
      ['/api/v1/deal-sets', 2],
      [`/api/v1/deal-sets/${world.set.id}`, 2],
      ['/api/v1/deal-sets?since=1970-01-01T00:00:00Z', 3],
    ] as const;
    for (const [target, most] of targets) {
      const taken: number[] = [];
      for (const who of [assistant, world.session]) {
        await service.get(target, who);
        taken.push(await trips.during(() => service.get(target, who)));
      }
      const [assistants, buyers] = taken;
      expect([target, assistants]).toEqual([target, buyers]);
      expect(buyers).toBeGreaterThan(0);
      expect(buyers).toBeLessThanOrEqual(most);
    }
  });

  it('count the replies of a page in one round trip', async () => {
    await database.query('UPDATE buyer SET changes_granted = true WHERE id = $1', [world.anna.id]);
    const assistant = await service.tokenFor(world.anna.id);
    const target = '/api/v1/deal-sets?since=1970-01-01T00:00:00Z';
    const { text } = await service.get(target, assistant);
    expect(text).toContain('newReplies');
    expect(await trips.during(() => service.get(target, assistant))).toBeLessThanOrEqual(4);
  });
});
