import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, escapeLiteral } from 'pg';
import { load, smallWorld } from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const KINDS = ['reader', 'assistant'] as const;
/** They contain what would end a quoted text. */
const PASSWORDS: Record<string, string> = {
  READER_PASSWORD: "read'er",
  ASSISTANT_PASSWORD: 'assist"ant',
};

/** What psql makes of the file: `\getenv name VARIABLE` and `:'name'` are all it uses of psql. */
function asPsqlSends(file: string, environment: Readonly<Record<string, string>>): string {
  const variables = new Map<string, string>();
  const sql = file.replace(/^\\getenv (\w+) (\w+)\n/gm, (_line, name: string, source: string) => {
    variables.set(name, environment[source] ?? '');
    return '';
  });
  expect(sql).not.toMatch(/^\s*\\/m);
  return sql.replace(/(?<!:):'(\w+)'/g, (_use, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`no \\getenv of ${name}`);
    return escapeLiteral(value);
  });
}

describe('the logins of deploy/logins.sql', () => {
  const world = smallWorld();
  let database: TestDatabase;
  const url = (kind: string, password: string): string =>
    Object.assign(new URL(database.url), { username: `deal_sets_${kind}_login`, password }).href;
  const urlOf = (kind: string): string =>
    url(kind, PASSWORDS[`${kind.toUpperCase()}_PASSWORD`] ?? '');

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, world.records);
    const file = readFileSync(path.join(__dirname, '../../../deploy/logins.sql'), 'utf8');
    const sql = asPsqlSends(file, PASSWORDS);
    // A second time: as compose does at each `up`.
    for (let run = 0; run < 2; run += 1) await database.query(`BEGIN;\n${sql}\nCOMMIT;`);
  });
  afterAll(async () => {
    for (const kind of KINDS) await database.query(`DROP ROLE IF EXISTS deal_sets_${kind}_login`);
    await database.drop();
  });

  it.each(KINDS)('%s: has its password and all five settings, and cannot write', async (kind) => {
    const wrong = new Client({ connectionString: url(kind, 'wrong') });
    await expect(wrong.connect()).rejects.toThrow('password authentication failed');
    const client = new Client({ connectionString: urlOf(kind) });
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string; setting: string }>(
        `SELECT name, setting FROM pg_settings WHERE source = 'user' ORDER BY name`,
      );
      expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
        TimeZone: 'UTC',
        default_transaction_read_only: 'on',
        idle_in_transaction_session_timeout: '10000',
        plan_cache_mode: 'force_generic_plan',
        statement_timeout: '8000',
      });
      await client.query('SET default_transaction_read_only = off');
      await expect(client.query('DELETE FROM buyer')).rejects.toThrow('permission denied');
      const { rows: roles } = await client.query<{ rolsuper: boolean }>(
        'SELECT rolsuper FROM pg_roles WHERE rolname = current_user',
      );
      expect(roles).toEqual([{ rolsuper: false }]);
    } finally {
      await client.end();
    }
  });

  it('are all that the service needs', async () => {
    const service = await TestService.start({
      database,
      env: {
        DATABASE_URL: urlOf('reader'),
        DATABASE_READER_URL: urlOf('reader'),
        DATABASE_ASSISTANT_URL: urlOf('assistant'),
      },
    });
    try {
      const path = `/api/v1/deal-sets/${world.set.id}`;
      expect((await service.get(path, world.session)).status).toBe(200);
      const assistant = await service.tokenFor(world.anna.id);
      expect((await service.get(path, assistant)).status).toBe(200);
      expect((await service.call('/health/ready')).status).toBe(200);
    } finally {
      await service.stop();
    }
  });
});
