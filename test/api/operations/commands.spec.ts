import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decodeJwt } from 'jose';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  ndjson,
  priceCheck,
  question,
  reply,
  signIn,
} from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { runCommand, type CommandOutcome } from '../../setup/run-command.js';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';
const ONE_LINE = /^[^\n]+\n$/;

describe('the command', () => {
  let database: TestDatabase;
  let cwd: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    cwd = mkdtempSync(path.join(tmpdir(), 'deal-sets-commands-'));
  });
  afterAll(async () => {
    await database.drop();
    rmSync(cwd, { recursive: true, force: true });
  });

  function run(
    args: readonly string[],
    env: Record<string, string> = {},
    input = '',
  ): Promise<CommandOutcome> {
    return runCommand(args, { cwd, input, env: { DATABASE_URL: database.url, ...env } });
  }

  async function refused(
    args: readonly string[],
    words: RegExp,
    env: Record<string, string> = {},
  ): Promise<void> {
    const { exitCode, stdout, stderr } = await run(args, env);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
    expect(stderr).toMatch(words);
  }

  it('explains itself with an example, each of them', async () => {
    const names = [
      'serve',
      'migrate',
      'rebuild',
      'import',
      'token',
      'session',
      'explain',
      'revoke',
      'erase',
      'export',
    ];
    await Promise.all(
      names.map(async (name) => {
        const { exitCode, stdout } = await run([name, '--help']);
        expect([name, exitCode]).toEqual([name, 0]);
        expect(stdout).toContain(`Usage: deal-sets ${name}`);
        expect(stdout).toMatch(/Examples?:/);
      }),
    );
  });

  it('fails in one line for a command, an option or a value that is none', async () => {
    await Promise.all([
      refused(['fly'], /unknown command 'fly'/),
      refused(['serve', '--port', '1'], /unknown option/),
      refused(['session'], /--buyer/),
      refused(['session', '--buyer', 'anna'], /must be a UUID/),
      refused(['session', '--buyer', UNKNOWN, '--ttl', '1.5'], /whole number/),
      refused(
        ['token', '--buyer', UNKNOWN, '--client', 'a b'],
        /1 to 256 printable ASCII characters without blanks/,
      ),
    ]);
  });

  it('fails in one line when a setting or the database is wrong', async () => {
    await refused(['migrate'], /^PORT: /, { PORT: 'x' });
    await refused(['migrate'], /cannot be reached.*DATABASE_URL/, {
      DATABASE_URL: 'postgres://a@127.0.0.1:1/b',
    });
    const empty = await createTestDatabase({ isEmpty: true });
    await refused(['session', '--buyer', UNKNOWN], /deal-sets migrate/, {
      DATABASE_URL: empty.url,
    });
    await empty.drop();
  });

  it('fails in one line that leads to the demo where no database is configured', async () => {
    const commands = [['serve'], ['migrate'], ['session', '--buyer', UNKNOWN]];
    const words = /^DATABASE_URL: .*npm run demo/;
    await Promise.all(commands.map((args) => refused(args, words, { DATABASE_URL: '' })));
  });

  it('migrate applies and checks', async () => {
    const empty = await createTestDatabase({ isEmpty: true });
    const env = { DATABASE_URL: empty.url };
    await refused(['migrate', '--check'], /Pending: baseline-\d+, the code of sql/, env);
    expect((await run(['migrate'], env)).exitCode).toBe(0);
    expect((await run(['migrate', '--check'], env)).exitCode).toBe(0);
    expect((await run(['migrate'], env)).stderr).toBe(
      'No migration was pending. The code of sql/ is in force.\n',
    );
    await empty.drop();
  });

  it('rebuild says how many requests it rebuilt, and how many of them changed', async () => {
    const own = await createTestDatabase();
    const env = { DATABASE_URL: own.url };
    const [anna, shop] = [buyer(), dealership()];
    const set = dealSet({ buyerId: anna.id });
    const single = priceCheck({
      buyerId: anna.id,
      dealershipId: shop.id,
      finishedAt: '2026-01-05T00:00:00Z',
    });
    await load(own, [anna, shop, set, single]);
    await own.query('UPDATE request_feed SET has_finished = false');
    expect(await run(['rebuild'], env)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Compared 2 requests of 1 buyers: 1 changed and moved in the feed.\n',
    });
    expect((await run(['rebuild'], env)).stderr).toBe(
      'Compared 2 requests of 1 buyers: 0 changed and moved in the feed.\n',
    );
    await own.drop();
  });

  it('import loads a file and standard input, and keeps nothing of a dry run', async () => {
    const anna = buyer();
    const file = path.join(cwd, 'anna.ndjson');
    writeFileSync(file, ndjson([anna]));
    const count = (): Promise<object[]> =>
      database.query('SELECT count(*)::integer FROM buyer WHERE id = $1', [anna.id]);
    expect((await run(['import', '--dry-run', file])).stderr).toMatch(
      /nothing was kept: 1 record: 1 new/,
    );
    expect(await count()).toEqual([{ count: 0 }]);
    expect(await run(['import', file])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Imported 1 record: 1 new, 0 changed.\n',
    });
    expect(await count()).toEqual([{ count: 1 }]);
    const again = await run(['import', '--backfill', '-'], {}, ndjson([anna]));
    expect(again.stderr).toBe('Imported 1 record: 0 new, 0 changed.\n');
  });

  it('import names line, key and reason, and fails', async () => {
    const { exitCode, stderr } = await run(['import', '-'], {}, '{"record":"buyer","id":1}\n{\n');
    expect(exitCode).toBe(1);
    expect(stderr.split('\n')).toEqual([
      'line 1: buyer.id: must be a UUID',
      'line 2: must be valid JSON, one JSON object on each line',
      'Nothing was imported: correct the file and import it again.',
      '',
    ]);
    await refused(['import', 'nowhere.ndjson'], /no file nowhere\.ndjson/);
    await refused(['import', cwd], /is a folder/);
  });

  it('session prints a cookie header line whose value is stored as a hash alone', async () => {
    const anna = buyer();
    await load(database, [anna]);
    const { exitCode, stdout, stderr } = await run(
      ['session', '--buyer', anna.id.toUpperCase(), '--ttl', '60'],
      { SESSION_COOKIE: 'sid' },
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const value = /^Cookie: sid=([A-Za-z0-9_-]{43})\n$/.exec(stdout)?.[1];
    const [row] = await database.query<{ sha: string; seconds: number }>(
      `SELECT encode(token_sha256, 'hex') AS sha,
         extract(epoch FROM expires_at - clock_timestamp())::float AS seconds
       FROM buyer_session WHERE buyer_id = $1`,
      [anna.id],
    );
    expect(row!.sha).toBe(createHash('sha256').update(value!).digest('hex'));
    expect(row!.seconds).toBeGreaterThan(0);
    expect(row!.seconds).toBeLessThanOrEqual(60);
    await refused(['session', '--buyer', UNKNOWN], /no buyer .* check the id/);
  });

  it('token prints a token, and warns when it has no grant', async () => {
    const anna = buyer();
    await load(database, [anna, grant({ buyerId: anna.id, clientId: 'helper' })]);
    const good = await run(['token', '--buyer', anna.id, '--client', 'helper', '--ttl', '90']);
    expect({ exitCode: good.exitCode, stderr: good.stderr }).toEqual({ exitCode: 0, stderr: '' });
    const claims = decodeJwt(good.stdout.trim());
    expect(claims).toMatchObject({ sub: anna.id, client_id: 'helper', scope: 'offers:read' });
    expect(claims.exp! - claims.iat!).toBe(90);
    const other = await run([
      'token',
      '--buyer',
      anna.id,
      '--client',
      'stranger',
      '--scope',
      'a b',
    ]);
    expect(other.exitCode).toBe(0);
    expect(other.stderr).toMatch(/no live grant for stranger/);
    expect(decodeJwt(other.stdout.trim())['scope']).toBe('a b');
  });

  it('token refuses where a real issuer is configured', () =>
    refused(['token', '--buyer', UNKNOWN, '--client', 'a'], /AUTH_ISSUER/, {
      AUTH_ISSUER: 'https://issuer.example',
      AUTH_AUDIENCE: 'api',
      AUTH_JWKS_URL: 'https://issuer.example/keys',
    }));

  it("revoke ends an assistant's grant, or every session, of that buyer alone", async () => {
    const [anna, ben] = [buyer(), buyer()];
    const grants = [anna, ben].map(({ id }) => grant({ buyerId: id, clientId: 'helper' }));
    const sessions = [anna, anna, ben].map(({ id }) => signIn(id).record);
    await load(database, [
      anna,
      ben,
      ...grants,
      ...sessions,
      grant({ buyerId: anna.id, clientId: 'other' }),
    ]);
    const live = (): Promise<object[]> =>
      database.query(
        `SELECT b.id,
           (SELECT count(*)::integer FROM assistant_grant g WHERE g.buyer_id = b.id AND revoked_at IS NULL) AS grants,
           (SELECT count(*)::integer FROM buyer_session s WHERE s.buyer_id = b.id AND revoked_at IS NULL) AS sessions
         FROM buyer b WHERE b.id = ANY ($1) ORDER BY b.id = $2`,
        [[anna.id, ben.id], ben.id],
      );
    const first = await run(['revoke', '--buyer', anna.id, '--client', 'helper']);
    expect(first).toMatchObject({
      exitCode: 0,
      stderr: `Revoked the grant of helper for buyer ${anna.id}.\n`,
    });
    const second = await run(['revoke', '--buyer', anna.id, '--sessions']);
    expect(second).toMatchObject({
      exitCode: 0,
      stderr: `Revoked 2 sessions of buyer ${anna.id}.\n`,
    });
    expect(await live()).toEqual([
      { id: anna.id, grants: 1, sessions: 0 },
      { id: ben.id, grants: 1, sessions: 1 },
    ]);
    await refused(['revoke', '--buyer', anna.id, '--client', 'helper'], /Nothing to revoke/);
    await refused(['revoke', '--buyer', anna.id], /either --client or --sessions/);
  });

  it('explain says what an assistant gets and why it would be refused, and no value', async () => {
    const anna = buyer();
    const url = 'https://assistant.example/oauth/client.json';
    await load(database, [
      anna,
      grant({ buyerId: anna.id, clientId: url, hosted: true }),
      grant({ buyerId: anna.id, clientId: 'no-scope', scopes: [] }),
      grant({ buyerId: anna.id, clientId: 'over', revokedAt: '2026-01-02T00:00:00Z' }),
    ]);
    const explain = async (client: string, env = {}): Promise<string[]> => {
      const { exitCode, stdout } = await run(
        ['explain', '--buyer', anna.id, '--client', client],
        env,
      );
      expect(exitCode).toBe(0);
      return stdout.split('\n');
    };
    const hosted = await explain(url, { ROLLOUT_GET: 'off' });
    expect(hosted).toEqual(
      expect.arrayContaining([
        'call list: admitted, with a good token',
        'call get: 404 not_found: ROLLOUT_GET is off for this buyer',
      ]),
    );
    expect((await explain('no-scope'))[0]).toMatch(/403 insufficient_scope/);
    expect((await explain('over'))[0]).toMatch(/401 unauthenticated: the grant was revoked/);
    expect(await explain('never')).toEqual([
      expect.stringMatching(/^call list: 401 unauthenticated: the buyer never approved/),
      expect.stringMatching(/^call get: 401/),
      '',
    ]);
  });

  it('erase removes everything of a buyer and nothing of another', async () => {
    const shop = dealership();
    const people = [buyer(), buyer()];
    const all = people.flatMap((person) => {
      const set = dealSet({ buyerId: person.id });
      const row = priceCheck({ buyerId: person.id, dealershipId: shop.id, dealSetId: set.id });
      const single = priceCheck({ buyerId: person.id, dealershipId: shop.id });
      const threads = [row, single].flatMap(({ id: priceCheckId }) => [
        question({ priceCheckId }),
        draft({ priceCheckId }),
        reply({ priceCheckId }),
      ]);
      return [
        person,
        set,
        row,
        single,
        ...threads,
        signIn(person.id).record,
        grant({ buyerId: person.id }),
      ];
    });
    await load(database, [shop, ...all]);
    const held = async (): Promise<number[]> => {
      const tables = [
        'deal_set',
        'price_check',
        'question',
        'draft',
        'reply',
        'request_feed',
        'buyer_session',
        'assistant_grant',
      ];
      const counts = people.map(async ({ id }) => {
        const rows = await database.query<{ count: number }>(
          tables
            .map((table) => `SELECT count(*)::integer FROM ${table} WHERE buyer_id = '${id}'`)
            .join(' UNION ALL '),
        );
        return rows.reduce((sum, { count }) => sum + count, 0);
      });
      return Promise.all(counts);
    };
    expect(await held()).toEqual([13, 13]);
    await refused(['erase', '--buyer', people[0]!.id], /--yes/);
    expect(await held()).toEqual([13, 13]);
    const { exitCode, stderr } = await run(['erase', '--buyer', people[0]!.id, '--yes']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `Erased buyer ${people[0]!.id}: deal sets 1, price checks with their threads 2, sessions 1, grants 1.\n`,
    });
    expect(await held()).toEqual([0, 13]);
    await refused(['erase', '--yes', '--buyer', people[0]!.id], /no buyer/);
  });
});
