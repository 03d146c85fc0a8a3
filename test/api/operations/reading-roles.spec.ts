import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, escapeLiteral } from 'pg';
import { writerDataSource } from '../../../src/database/data-source.js';
import { ENTRY_FACTS } from '../../../src/deal-sets/queries/entry-facts.js';
import {
  isColumn,
  sqlFor,
  type FactCatalogue,
  type FactColumn,
} from '../../../src/deal-sets/queries/fact-columns.js';
import {
  DEAL_SET_FACTS,
  DRAFT_FACTS,
  PRICE_CHECK_FACTS,
  QUESTION_FACTS,
} from '../../../src/deal-sets/queries/result-facts.js';
import type { PrincipalType } from '../../../src/kernel/principal.js';
import { migrate } from '../../../src/operations/migrate.js';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

type Columns = Readonly<Record<string, readonly string[]>>;

const words = (text: string): string[] => text.trim().split(/\s+/);
const SHOWN = words(`shown_year shown_make shown_model shown_trim shown_exterior_color shown_mileage
  shown_listed_at_cents shown_verified_partner`);
const STATE = words(`answer otd_cents selling_price_cents written_at ended
  unlocked_at chosen_at archived_at is_seen is_written state`);
/** The columns of the read model that both roles may read. */
const MODEL =
  words(`buyer_id request_id kind feed_at is_time_known requested_at is_active has_ended is_archived
  has_finished car_year car_make car_model listed_trim written waiting different_car ended ended_with_price
  closed_with_price lowest_written_otd_cents needs_you member_ids chosen`);
const OWN_MODEL = words(
  'lowest_written_distance_miles is_lowest_written_seen chosen_dealership_ids dealership_id',
);
const CHILD = words('buyer_id id request_id price_check_id');
const SET = words('buyer_id id car_year car_make car_model ended_at');
const CHECK = [...words('buyer_id id deal_set_id request_id'), ...SHOWN, ...STATE];
const QUESTION = [
  ...CHILD,
  ...words('prompt_id category answer_mode otd_cents asked_at answered_at'),
];
const DRAFT = [...CHILD, 'created_at', 'resolved_at'];

/** The columns that an assistant's reads may use: no other column, and no other table. */
const ASSISTANT: Columns = {
  buyer: ['id'],
  deal_set: SET,
  price_check: CHECK,
  question: QUESTION,
  draft: DRAFT,
  reply: [...CHILD, 'feed_at'],
  request_feed: MODEL,
};

/** The columns that the buyer's own reads, and the sign-in, may use. */
const READER: Columns = {
  ...ASSISTANT,
  schema_migration: ['name'],
  schema_code: ['number', 'needs_rebuild'],
  buyer: ['id', 'changes_granted'],
  buyer_session: words('buyer_id id token_sha256 expires_at revoked_at'),
  assistant_grant: words('buyer_id id client_id scopes is_hosted granted_at expires_at revoked_at'),
  dealership: ['id', 'name'],
  deal_set: [
    ...SET,
    ...words(`car_trim car_exterior_color car_interior_color car_drivetrain car_powertrain buyer_zip radius_miles
      dealers_found`),
  ],
  price_check: [...CHECK, 'dealership_id', 'distance_miles'],
  question: [...QUESTION, 'text', 'text_while_hidden'],
  draft: [...DRAFT, 'body', 'body_while_hidden'],
  request_feed: [...MODEL, ...OWN_MODEL],
};

/** Every catalogue of facts, with the tables behind the aliases of its statement. */
const CATALOGUES: readonly (readonly [FactCatalogue, Readonly<Record<string, string>>])[] = [
  [ENTRY_FACTS, { r: 'request_feed', s: 'deal_set' }],
  [DEAL_SET_FACTS, { s: 'deal_set' }],
  [PRICE_CHECK_FACTS, { p: 'price_check' }],
  [QUESTION_FACTS, { i: 'question', p: 'price_check' }],
  [DRAFT_FACTS, { i: 'draft', p: 'price_check' }],
];

/** The facts of a catalogue and of the catalogues in it. */
function factsIn(facts: FactCatalogue): FactColumn<unknown>[] {
  return Object.values(facts).flatMap((fact) => (isColumn(fact) ? [fact] : factsIn(fact)));
}

/** The columns behind the facts of a principal type, as `table.column`. */
function columnsOfFacts(type: PrincipalType): string[] {
  return CATALOGUES.flatMap(([facts, tables]) =>
    factsIn(facts).flatMap((fact) =>
      Array.from(sqlFor(fact, type).matchAll(/\b([a-z])\.([a-z_]+)/g)).flatMap(
        // Other aliases belong to tables within the fact's own sub-select.
        ([, alias = '', stored]) => (tables[alias] ? [`${tables[alias]}.${stored}`] : []),
      ),
    ),
  );
}

const granted = (columns: Columns): string[] =>
  Object.entries(columns).flatMap(([table, names]) => names.map((name) => `${table}.${name}`));

describe('the facts of the reads', () => {
  it.each([
    ['session', READER],
    ['assistant', ASSISTANT],
  ] as const)('are read from columns that the role of the %s is granted', (type, allowed) => {
    const missing = columnsOfFacts(type).filter((name) => !granted(allowed).includes(name));
    expect(missing).toEqual([]);
  });

  it('are read, where they are withheld, from columns that the role of the assistant is not granted', () => {
    const shared = columnsOfFacts('assistant');
    const withheld = columnsOfFacts('session').filter((name) => !shared.includes(name));
    expect(withheld.length).toBeGreaterThan(10);
    expect(withheld.filter((name) => granted(ASSISTANT).includes(name))).toEqual([]);
  });
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const tablesOf = async (): Promise<string[]> =>
  (
    await database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'deal_sets'`,
    )
  ).map(({ name }) => name);

describe.each([
  ['deal_sets_assistant', ASSISTANT],
  ['deal_sets_reader', READER],
])('the role %s', (role, allowed) => {
  /** The SQLSTATE with which the statement was rejected, undefined when it succeeded. */
  async function rejectionOf(sql: string): Promise<string | undefined> {
    await database.query('BEGIN');
    try {
      await database.query(`SET LOCAL ROLE ${role}`);
      await database.query(sql);
      return undefined;
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await database.query('ROLLBACK');
    }
  }

  it('reads exactly the columns it is granted, of every table there is', async () => {
    const columns = await database.query<{ table: string; column: string }>(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = 'deal_sets'`,
    );
    expect(columns.length).toBeGreaterThan(100);
    const readable: string[] = [];
    for (const { table, column } of columns) {
      const code = await rejectionOf(`SELECT "${column}" FROM deal_sets."${table}" LIMIT 0`);
      if (code === undefined) readable.push(`${table}.${column}`);
      else expect(code).toBe('42501');
    }
    const expected = Object.entries(allowed).flatMap(([table, names]) =>
      names.map((name) => `${table}.${name}`),
    );
    expect(readable.sort()).toEqual(expected.sort());
  });

  it('cannot read a table that is added later', async () => {
    await database.query('CREATE TABLE deal_sets.made_later (id integer)');
    expect(await rejectionOf('SELECT id FROM deal_sets.made_later')).toBe('42501');
    await database.query('DROP TABLE deal_sets.made_later');
  });

  it('cannot read a column that is added later, of any table', async () => {
    const tables = await tablesOf();
    expect(tables.length).toBeGreaterThan(10);
    for (const table of tables) {
      await database.query(`ALTER TABLE deal_sets."${table}" ADD COLUMN added_later text`);
      expect([table, await rejectionOf(`SELECT added_later FROM deal_sets."${table}"`)]).toEqual([
        table,
        '42501',
      ]);
      await database.query(`ALTER TABLE deal_sets."${table}" DROP COLUMN added_later`);
    }
  });

  it('writes nothing', async () => {
    for (const table of await tablesOf()) {
      expect(await rejectionOf(`DELETE FROM deal_sets."${table}"`)).toBe('42501');
      expect(await rejectionOf(`INSERT INTO deal_sets."${table}" DEFAULT VALUES`)).toBe('42501');
    }
    expect(await rejectionOf('CREATE TABLE deal_sets.mine (id int)')).toBe('42501');
  });

  it("calls no function that acts with the owner's rights", async () => {
    const functions = await database.query<{ call: string }>(
      `SELECT format('SELECT deal_sets.%I(%s)', proname, array_to_string(ARRAY(
           SELECT 'NULL::' || format_type(t, NULL) FROM unnest(proargtypes) t), ', ')) AS call
       FROM pg_proc WHERE pronamespace = 'deal_sets'::regnamespace AND prosecdef AND prorettype <> 'trigger'::regtype`,
    );
    expect(functions.length).toBeGreaterThanOrEqual(4);
    for (const { call } of functions) {
      expect([call, await rejectionOf(call)]).toEqual([call, '42501']);
    }
  });

  it('cannot log in, and has its own limits for logins that use it', async () => {
    const [row] = await database.query<{ canLogin: boolean; settings: string[] }>(
      'SELECT rolcanlogin AS "canLogin", rolconfig AS settings FROM pg_roles WHERE rolname = $1',
      [role],
    );
    expect(row?.canLogin).toBe(false);
    expect(row?.settings).toEqual(
      expect.arrayContaining([
        'default_transaction_read_only=on',
        'statement_timeout=8s',
        'TimeZone=UTC',
      ]),
    );
  });
});

describe('temporary tables', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    // A copy of a database does not include its privileges, so this database is migrated.
    database = await createTestDatabase({ isEmpty: true });
    const dataSource = await writerDataSource({ url: database.url }).initialize();
    await migrate(dataSource);
    await dataSource.destroy();
  });
  afterAll(() => database.drop());

  it.each(['deal_sets_assistant', 'deal_sets_reader'])('are denied to %s', async (role) => {
    await database.query('BEGIN');
    await database.query(`SET LOCAL ROLE ${role}`);
    await database.query('SET LOCAL transaction_read_only = off');
    await expect(database.query('CREATE TEMPORARY TABLE mine (id int)')).rejects.toMatchObject({
      code: '42501',
    });
    await database.query('ROLLBACK');
  });

  it('are granted only to the login that migrates and imports', async () => {
    const grantees = await database.query<{ grantee: string }>(
      `SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee
       FROM pg_database d, aclexplode(d.datacl) a
       WHERE d.datname = current_database() AND a.privilege_type = 'TEMPORARY'`,
    );
    const [me] = await database.query<{ name: string }>('SELECT current_user::text AS name');
    expect(grantees).toEqual([{ grantee: me!.name }]);
  });
});

const KINDS = ['reader', 'assistant'] as const;
/** The passwords contain characters that end a quoted text. */
const PASSWORDS: Record<string, string> = {
  READER_PASSWORD: "read'er",
  ASSISTANT_PASSWORD: 'assist"ant',
};

/**
 * Interprets the file as psql does. It uses only `\getenv`, `\if :{?name}` around a `\set` from a
 * file or with `\else` before one of an empty text, `\gset` for whether texts are empty, and
 * `:'name'`.
 */
function asPsqlSends(file: string, environment: Readonly<Record<string, string>>): string {
  const variables = new Map<string, string>();
  const sql = file
    .replace(/^\\getenv (\w+) (\w+)\n/gm, (_line, name: string, source: string) => {
      const value = environment[source];
      if (value !== undefined) variables.set(name, value);
      return '';
    })
    .replace(
      /^\\if :\{\?(\w+)\}\n\\set (\w+) `cat "\$(\w+)"`\n\\endif\n/gm,
      (_lines, name: string, target: string, source: string) => {
        const file = environment[source] ?? '';
        if (variables.has(name)) variables.set(target, readFileSync(file, 'utf8').trimEnd());
        return '';
      },
    )
    .replace(/^\\if :\{\?(\w+)\}\n\\else\n\\set \w+ ''\n\\endif\n/gm, (_lines, name: string) => {
      if (!variables.has(name)) variables.set(name, '');
      return '';
    })
    .replace(/^SELECT [^;]* \\gset\n/m, '')
    .replace(/^\\if :no_(\w+)\n([^\\]*)\\endif\n/gm, (_lines, name: string, then: string) =>
      variables.get(name) === '' ? then : '',
    );
  expect(sql).not.toMatch(/^\s*\\/m);
  return sql.replace(/(?<!:):'(\w+)'/g, (_use, name: string) => {
    const value = variables.get(name);
    // What psql does with an unset variable.
    return value === undefined ? `:'${name}'` : escapeLiteral(value);
  });
}

describe('the logins of deploy/logins.sql', () => {
  const world = smallWorld();
  const url = (kind: string, password: string): string =>
    Object.assign(new URL(database.url), { username: `deal_sets_${kind}_login`, password }).href;
  const urlOf = (kind: string): string =>
    url(kind, PASSWORDS[`${kind.toUpperCase()}_PASSWORD`] ?? '');

  beforeAll(async () => {
    await load(database, world.records);
    const file = readFileSync(path.join(__dirname, '../../../deploy/logins.sql'), 'utf8');
    const others = { READER_PASSWORD: 'a', ASSISTANT_PASSWORD: 'b' };
    await database.query(`BEGIN;\n${asPsqlSends(file, others)}\nCOMMIT;`);
    // Run a second time, as compose does at each `up`, with the passwords in files.
    const directory = mkdtempSync(path.join(tmpdir(), 'deal-sets-logins-'));
    const files = Object.entries(PASSWORDS).map(([name, password]) => {
      writeFileSync(path.join(directory, name), `${password}\n`);
      return [`${name}_FILE`, path.join(directory, name)];
    });
    const sql = asPsqlSends(file, Object.fromEntries(files) as Record<string, string>);
    rmSync(directory, { recursive: true });
    await database.query(`BEGIN;\n${sql}\nCOMMIT;`);
  });
  afterAll(async () => {
    for (const kind of KINDS) await database.query(`DROP ROLE IF EXISTS deal_sets_${kind}_login`);
  });

  it.each(Object.keys(PASSWORDS))(
    'are not created without %s: the error names it',
    async (missing) => {
      const file = readFileSync(path.join(__dirname, '../../../deploy/logins.sql'), 'utf8');
      const passwords = Object.fromEntries(
        Object.entries(PASSWORDS).filter(([name]) => name !== missing),
      );
      const [first = ''] = asPsqlSends(file, passwords).match(/^DO [^\n]*;$/m) ?? [];
      await expect(database.query(first)).rejects.toThrow(`${missing} is not set`);
    },
  );

  it.each(KINDS)(
    'have their passwords and all five settings, and cannot write: %s',
    async (kind) => {
      const wrong = new Client({ connectionString: url(kind, 'wrong') });
      await expect(wrong.connect()).rejects.toThrow('password authentication failed');
      const client = new Client({ connectionString: urlOf(kind) });
      await client.connect();
      try {
        const { rows } = await client.query<{ name: string; setting: string }>(
          `SELECT name, setting FROM pg_settings WHERE source = 'user' ORDER BY name`,
        );
        expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
          DateStyle: 'ISO, MDY',
          TimeZone: 'UTC',
          bytea_output: 'hex',
          default_transaction_read_only: 'on',
          extra_float_digits: '1',
          idle_in_transaction_session_timeout: '10000',
          plan_cache_mode: 'force_generic_plan',
          standard_conforming_strings: 'on',
          statement_timeout: '8000',
        });
        await client.query('SET default_transaction_read_only = off');
        await expect(client.query('DELETE FROM deal_sets.buyer')).rejects.toThrow(
          'permission denied',
        );
        const { rows: roles } = await client.query<{ rolsuper: boolean }>(
          'SELECT rolsuper FROM pg_roles WHERE rolname = current_user',
        );
        expect(roles).toEqual([{ rolsuper: false }]);
      } finally {
        await client.end();
      }
    },
  );

  it.each([
    ['assistant', 200, /^assistants cannot read, responding to them with 503: check (.*)$/],
    ['reader', 503, /^database unreachable, responding with 503: check (.*)$/],
  ] as const)(
    'are named with their setting in the log of the start if the server rejects them: %s',
    async (kind, readiness, message) => {
      const setting = `DATABASE_${kind.toUpperCase()}_URL`;
      const service = await TestService.start({
        database,
        env: {
          DATABASE_URL: '',
          DATABASE_READER_URL: urlOf('reader'),
          DATABASE_ASSISTANT_URL: urlOf('assistant'),
          [setting]: url(kind, 'wrong'),
        },
      });
      try {
        await eventually(() => {
          const lines = service.logLines
            .map((line) => JSON.parse(line) as Record<string, unknown>)
            .filter(({ level }) => level === 'error');
          expect(lines).toEqual([
            expect.objectContaining({
              msg: expect.stringMatching(message) as string,
              causes: [expect.stringMatching(/ 28P01$/)],
            }),
          ]);
          expect(message.exec(String(lines[0]!['msg']))?.[1]).toBe(setting);
        });
        expect((await service.call('/health/ready')).status).toBe(readiness);
      } finally {
        await service.stop();
      }
    },
  );

  it('are sufficient for the service', async () => {
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
      const assistant = await service.tokenFor(world.buyer.id);
      expect((await service.get(path, assistant)).status).toBe(200);
      expect((await service.call('/health/ready')).status).toBe(200);
    } finally {
      await service.stop();
    }
  });
});
