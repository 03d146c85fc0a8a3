import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { Client } from 'pg';
import { writerDataSource } from '../../../src/database/data-source.js';
import { approvalsOf, approve, revokeApproval } from '../../../src/operations/approvals.js';
import { pruneSessions } from '../../../src/operations/prune.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  priceCheck,
  question,
  reply,
  signIn,
} from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import {
  runCommand,
  runInProcess,
  startCommand,
  type CommandOutcome,
} from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';
const REAL_ISSUER = {
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'api',
  AUTH_JWKS_URL: 'https://issuer.example/keys',
};
const AUDIT_LINE = /^\{.*"msg":"audit"\}\n/m;
/** Commands with a required option. */
const REQUIRING = ['approve', 'approvals', 'token', 'session', 'explain', 'revoke', 'erase'];
const COMMANDS =
  'serve migrate rebuild restamp distribute import token approve approvals session explain revoke prune erase export'.split(
    ' ',
  );

describe('the command', () => {
  let database: TestDatabase;
  let empty: TestDatabase;
  let cwd: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    empty = await createTestDatabase({ isEmpty: true });
    cwd = mkdtempSync(path.join(tmpdir(), 'deal-sets-commands-'));
  });
  afterAll(async () => {
    await database.drop();
    await empty.drop();
    rmSync(cwd, { recursive: true, force: true });
  });

  const run = (args: readonly string[], env: object = {}): Promise<CommandOutcome> =>
    runInProcess(args, { cwd, env: { DATABASE_URL: database.url, ...env } });

  /** The output of a successful command that has no result, without its audit line. */
  async function noteOf(args: readonly string[], env: object = {}): Promise<string> {
    const { exitCode, stdout, stderr } = await run(args, env);
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: '' });
    return stderr.replace(AUDIT_LINE, '');
  }

  async function expectFailure(
    args: readonly string[],
    words: RegExp,
    env: object = {},
  ): Promise<void> {
    const { exitCode, stdout, stderr } = await run(args, env);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toMatch(words);
  }

  it('exits with its result on standard output, or one line on standard error', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runCommand(['--version'])).toEqual({
      exitCode: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
    const env = { DATABASE_URL: 'postgres://a@127.0.0.1:1/b' };
    expect(await runCommand(['migrate'], { env })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'The database cannot be reached: start it, or correct DATABASE_URL.\n',
    });
  });

  it.each(COMMANDS)('prints its help with an example: %s', async (name) => {
    const { exitCode, stdout } = await run([name, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: deal-sets ${name}`);
    expect(stdout).toMatch(/Examples?:/);
    expect(stdout).toMatch(/DATABASE_URL +the database: postgres:/);
    expect(stdout.includes('(required)')).toBe(REQUIRING.includes(name));
  });

  it.each<[words: RegExp, line: string, env?: object]>([
    [/unknown command 'fly'/, 'fly'],
    [/unknown option/, 'serve --port 1'],
    [/--buyer/, 'session'],
    [/must be a UUID/, 'session --buyer anna'],
    [/whole number/, `session --buyer ${UNKNOWN} --ttl 1.5`],
    [
      /1 to 256 printable ASCII characters without blanks/,
      `token --buyer ${UNKNOWN} --client a\tb`,
    ],
    [
      /'--after <time>' argument 'yesterday' is invalid\. It must be an ISO 8601 date and time with a zone/,
      'restamp --after yesterday',
    ],
    [/ISO 8601 date and time with a zone/, 'restamp --after 2026-10-14T16:00:00'],
    [/^PORT: /, 'migrate', { PORT: 'x' }],
    [/^DATABASE_URL: .*npm run demo/, 'serve', { DATABASE_URL: '' }],
    [/^DATABASE_URL: .*npm run demo/, `session --buyer ${UNKNOWN}`, { DATABASE_URL: '' }],
    [/no buyer .* check the id/, `session --buyer ${UNKNOWN}`],
    [/no buyer .* check the id/, `explain --buyer ${UNKNOWN} --client helper`],
    [/expected an address like/, 'migrate --check', { DATABASE_URL: 'postgres:wrong@host/db' }],
    [/AUTH_ISSUER/, `token --buyer ${UNKNOWN} --client a`, REAL_ISSUER],
    [/^nowhere\.ndjson: There is no such file/, 'import nowhere.ndjson'],
    [/^This is a directory: specify a file/, 'import .', { DATABASE_URL: '' }],
    [/either --client or --sessions/, `revoke --buyer ${UNKNOWN}`],
    [/no buyer/, `approve --buyer ${UNKNOWN} --client helper`],
    [/^There is no buyer [0-9a-f-]+: check the id\.\n$/, `export --buyer ${UNKNOWN}`],
    [/^There is no buyer [0-9a-f-]+: check the id\.\n$/, `restamp --buyer ${UNKNOWN}`],
  ])('fails in one line: %s for %s', (words, line, env = {}) =>
    expectFailure(line.split(' '), words, env),
  );

  it('migrate applies and checks; other commands refer to it until then', async () => {
    const env = { DATABASE_URL: empty.url };
    await expectFailure(['session', '--buyer', UNKNOWN], /deal-sets migrate/, env);
    await expectFailure(['migrate', '--check'], /Pending: baseline-\d+, .*the code of sql/, env);
    expect(await noteOf(['migrate'], env)).toMatch(/^Applied baseline-\d+, .+\. Applied the code/);
    expect(await noteOf(['migrate', '--check'], env)).toBe('Nothing is pending.\n');
    expect(await noteOf(['migrate'], env)).toBe(
      'No migration was pending. The code of sql/ is up to date.\n',
    );
  });

  it('rebuild reports how many requests it rebuilt, and how many of them changed', async () => {
    const [anna, shop] = [buyer(), dealership()];
    const finishedAt = '2026-01-05T00:00:00Z';
    const single = priceCheck({ buyerId: anna.id, dealershipId: shop.id, finishedAt });
    await load(database, [anna, shop, dealSet({ buyerId: anna.id }), single]);
    await database.query('UPDATE request_feed SET has_finished = false');
    const compared = 'Compared 2 requests of 1 buyer';
    expect(await noteOf(['rebuild'])).toBe(`${compared}: 1 changed and got a new stamp.\n`);
    expect(await noteOf(['rebuild'])).toBe(`${compared}: 0 changed and got a new stamp.\n`);
  });

  it('restamp prints the time by which it can be continued, and what it stamped', async () => {
    const anna = buyer();
    await load(database, [anna, dealSet({ buyerId: anna.id }), dealSet({ buyerId: anna.id })]);
    const ofAnna = ['restamp', '--buyer', anna.id];
    const note = await noteOf(ofAnna);
    const [, time = ''] = /--after (\S+)`\.\n/.exec(note) ?? [];
    expect(note).toBe(
      `Restamping every request whose stamp is not after ${time}. If this is interrupted, continue with \`deal-sets restamp --buyer ${anna.id} --after ${time}\`.\n` +
        `Restamped 2 requests; all requests of 1 buyer now have a stamp after ${time}.\n`,
    );
    expect(await noteOf([...ofAnna, '--after', time])).toContain('Restamped 0 requests');
    const later = new Date(Date.now() + 3_000).toISOString();
    const waited = await noteOf([...ofAnna, '--after', later]);
    expect(waited).toMatch(/\nwaiting \d s until the database's clock has passed that time\n/);
    expect(waited).toContain('\nRestamped 2 requests');
  });

  it('restamp reports on SIGINT what is done, and how to continue', async () => {
    const anna = buyer();
    await load(database, [anna, dealSet({ buyerId: anna.id })]);
    const after = new Date(Date.now() + 60_000).toISOString();
    const args = ['restamp', '--buyer', anna.id, '--after', after];
    const child = startCommand(args, { env: { DATABASE_URL: database.url } });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await eventually(() => expect(stderr).toContain('\nwaiting '), 30_000);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(stderr).toMatch(
      new RegExp(`\\nInterrupted\\. To continue, run \`deal-sets ${args.join(' ')}\`\\.\\n$`),
    );
  });

  it('session prints a cookie header line whose value is stored as a hash alone', async () => {
    const anna = buyer();
    await load(database, [anna]);
    const { exitCode, stdout, stderr } = await run(
      ['session', '--buyer', anna.id.toUpperCase(), '--ttl', '60'],
      { SESSION_COOKIE: 'sid' },
    );
    expect([exitCode, stderr.replace(AUDIT_LINE, '')]).toEqual([0, '']);
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
  });

  it('token prints a token, and warns when it has no grant', async () => {
    const anna = buyer();
    await load(database, [anna, grant({ buyerId: anna.id, clientId: 'helper' })]);
    const good = await run(['token', '--buyer', anna.id, '--client', 'helper', '--ttl', '90']);
    expect(good).toMatchObject({ exitCode: 0, stderr: '' });
    const claims = decodeJwt(good.stdout.trim());
    expect(claims).toMatchObject({ sub: anna.id, client_id: 'helper', scope: 'offers:read' });
    expect(claims.exp! - claims.iat!).toBe(90);
    const ofStranger = ['token', '--buyer', anna.id, '--client', 'stranger', '--scope', 'a b'];
    const other = await run(ofStranger);
    expect(other.exitCode).toBe(0);
    expect(other.stderr).toMatch(/no live grant for stranger/);
    expect(decodeJwt(other.stdout.trim())['scope']).toBe('a b');
  });

  it("revoke ends an assistant's grant, or every session, of that buyer alone", async () => {
    const [anna, ben] = [buyer(), buyer()];
    const grants = [anna, ben].map(({ id }) => grant({ buyerId: id, clientId: 'helper' }));
    const sessions = [anna, anna, ben].map(({ id }) => signIn(id).record);
    const other = grant({ buyerId: anna.id, clientId: 'other' });
    await load(database, [anna, ben, ...grants, ...sessions, other]);
    expect(await noteOf(['revoke', '--buyer', anna.id, '--client', 'helper'])).toBe(
      `Revoked the grant of helper for buyer ${anna.id}.\n`,
    );
    expect(await noteOf(['revoke', '--buyer', anna.id, '--sessions'])).toBe(
      `Revoked every session of buyer ${anna.id}: 2.\n`,
    );
    const live = await database.query(
      `SELECT b.id,
         (SELECT count(*)::integer FROM assistant_grant g WHERE g.buyer_id = b.id AND revoked_at IS NULL) AS grants,
         (SELECT count(*)::integer FROM buyer_session s WHERE s.buyer_id = b.id AND revoked_at IS NULL) AS sessions
       FROM buyer b WHERE b.id = ANY ($1) ORDER BY b.id = $2`,
      [[anna.id, ben.id], ben.id],
    );
    expect(live).toEqual([
      { id: anna.id, grants: 1, sessions: 0 },
      { id: ben.id, grants: 1, sessions: 1 },
    ]);
  });

  it('revoke succeeds with a note when there is nothing to revoke', async () => {
    expect(await noteOf(['revoke', '--buyer', UNKNOWN, '--client', 'helper'])).toBe(
      `Nothing to revoke: buyer ${UNKNOWN} has no live grant for helper.\n`,
    );
    expect(await noteOf(['revoke', '--buyer', UNKNOWN, '--sessions'])).toBe(
      `Nothing to revoke: buyer ${UNKNOWN} has no live session.\n`,
    );
  });

  it('approve records an approval in place of an earlier one, and approvals lists both', async () => {
    const anna = buyer();
    await load(database, [anna]);
    const ofAnna = ['--buyer', anna.id];
    const approve = ['approve', ...ofAnna, '--client', 'helper'];
    expect(await noteOf(['approvals', ...ofAnna])).toMatch(/has approved no assistant/);
    expect(await noteOf(approve)).toBe(
      `Approved helper for buyer ${anna.id}, with the scopes: offers:read.\n`,
    );
    const { stdout } = await run(['explain', ...ofAnna, '--client', 'helper']);
    expect(stdout).toContain('GET /api/v1/deal-sets: admitted');
    await noteOf([...approve, '--scope', 'offers:read notes:read', '--hosted']);

    const json = await run(['approvals', ...ofAnna, '--json']);
    const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const helper = { id: expect.any(String) as string, clientId: 'helper', grantedAt: time };
    expect(JSON.parse(json.stdout)).toEqual([
      { ...helper, scopes: ['offers:read', 'notes:read'], hosted: true, revokedAt: null },
      { ...helper, scopes: ['offers:read'], hosted: false, revokedAt: time },
    ]);
    expect((await run(['approvals', ...ofAnna])).stdout.split('\n')).toEqual([
      expect.stringMatching(/^helper: active, .*scopes: offers:read notes:read, hosted$/),
      expect.stringMatching(/^helper: revoked .*scopes: offers:read$/),
      '',
    ]);
  });

  it('approve replaces another approval that is recorded at the same time', async () => {
    const anna = buyer();
    await load(database, [anna]);
    const approval = { buyerId: anna.id, clientId: 'helper', scopes: ['a'], isHosted: false };
    const dataSource = await writerDataSource({ url: database.url }).initialize();
    try {
      await Promise.all([1, 2, 3, 4].map(() => approve(dataSource.manager, approval)));
      const approvals = await approvalsOf(dataSource.manager, anna.id);
      expect(approvals).toHaveLength(4);
      expect(approvals.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
      expect(await revokeApproval(dataSource.manager, approval)).toBe(true);
      expect(await revokeApproval(dataSource.manager, approval)).toBe(false);
    } finally {
      await dataSource.destroy();
    }
  });

  it('erase records an unknown id as erased', async () => {
    const anna = buyer();
    expect(await noteOf(['erase', '--yes', '--buyer', anna.id])).toMatch(/^Nothing was stored/);
    await load(database, [anna]);
    expect(await database.query('SELECT FROM buyer WHERE id = $1', [anna.id])).toEqual([]);
  });

  it.each<[action: string, line: string, subject: object]>([
    ['approve', 'approve --buyer ID --client helper', { buyer: 'ID', client: 'helper' }],
    ['revoke', 'revoke --buyer ID --client helper', { buyer: 'ID', client: 'helper' }],
    ['revoke', 'revoke --buyer ID --sessions', { buyer: 'ID', sessions: true }],
    ['session', 'session --buyer ID', { buyer: 'ID' }],
    ['export', 'export --buyer ID', { buyer: 'ID' }],
    ['restamp', 'restamp --buyer ID', { buyer: 'ID' }],
    ['restamp', 'restamp', {}],
    ['erase', 'erase --yes --buyer ID', { buyer: 'ID' }],
  ])('writes an audit line for %s: %s', async (action, line, subject) => {
    const anna = buyer();
    await load(database, [anna]);
    const withId = (text: string): string => text.replace('ID', anna.id);
    const { exitCode, stderr } = await run(withId(line).split(' '));
    expect(exitCode).toBe(0);
    const lines = stderr.match(new RegExp(AUDIT_LINE, 'gm')) ?? [];
    expect(lines.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        level: 'info',
        time: expect.any(String) as string,
        msg: 'audit',
        action,
        ...(JSON.parse(withId(JSON.stringify(subject))) as object),
        account: userInfo().username,
        login: 'postgres',
      },
    ]);
  });

  it('prune deletes sessions that expired long ago, and no approval', async () => {
    const anna = buyer();
    const day = 86_400_000;
    const expiredAt = (days: number): object => ({
      ...signIn(anna.id).record,
      expiresAt: new Date(Date.now() - days * day).toISOString(),
    });
    await load(database, [
      anna,
      ...Array.from({ length: 1_001 }, () => expiredAt(31)),
      expiredAt(29),
      { ...expiredAt(-1), revokedAt: '2026-01-02T00:00:00Z' },
      grant({ buyerId: anna.id, revokedAt: '2020-01-02T00:00:00Z' }),
    ]);
    const rowsOf = async (table: string): Promise<number> =>
      (await database.query(`SELECT FROM ${table} WHERE buyer_id = $1`, [anna.id])).length;
    // Other tests left expired sessions.
    await database.query('DELETE FROM buyer_session WHERE buyer_id <> $1', [anna.id]);
    expect(await noteOf(['prune'])).toBe(
      'Deleted 1,001 sessions that expired more than 30 days ago.\n',
    );
    expect([await rowsOf('buyer_session'), await rowsOf('assistant_grant')]).toEqual([2, 1]);
    expect(await noteOf(['prune', '--days', '0'])).toBe(
      'Deleted 1 session that expired more than 0 days ago.\n',
    );
    expect([await rowsOf('buyer_session'), await rowsOf('assistant_grant')]).toEqual([1, 1]);
    await expectFailure(['prune', '--days', 'x'], /whole number from 0 to 99999/);
  });

  it('prune commits page by page', async () => {
    const anna = buyer();
    const expired = (): object => ({
      ...signIn(anna.id).record,
      expiresAt: '2020-01-02T00:00:00Z',
    });
    await load(database, [anna, ...Array.from({ length: 501 }, expired)]);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const left: Promise<number>[] = [];
    const count = async (): Promise<number> =>
      (await database.query('SELECT FROM buyer_session WHERE buyer_id = $1', [anna.id])).length;
    const deleted = await pruneSessions(client, {
      olderThanDays: 1,
      onProgress: () => left.push(count()),
    });
    const [afterFirst, afterLast] = await Promise.all(left);
    await client.end();
    expect([deleted, afterLast]).toEqual([501, 0]);
    expect(afterFirst).toBeLessThanOrEqual(1);
  });

  it('explain reports what an assistant gets and why it would be rejected, and no value', async () => {
    const anna = buyer();
    const url = 'https://assistant.example/oauth/client.json';
    await load(database, [
      anna,
      grant({ buyerId: anna.id, clientId: url, hosted: true }),
      grant({ buyerId: anna.id, clientId: 'no-scope', scopes: [] }),
      grant({ buyerId: anna.id, clientId: 'over', revokedAt: '2026-01-02T00:00:00Z' }),
    ]);
    const explain = async (client: string): Promise<string[]> => {
      const args = ['explain', '--buyer', anna.id, '--client', client];
      const { exitCode, stdout } = await run(args, { ROLLOUT_GET: 'off' });
      expect(exitCode).toBe(0);
      return stdout.split('\n');
    };
    expect(await explain(url)).toEqual([
      'GET /api/v1/deal-sets: admitted, with a valid token',
      'GET /api/v1/deal-sets/{id}: 404 not_found: ROLLOUT_GET is off for this buyer',
      '',
    ]);
    const args = ['explain', '--buyer', anna.id, '--client', url, '--json'];
    const json = await run(args, { ROLLOUT_GET: 'off' });
    expect(JSON.parse(json.stdout)).toEqual([
      { call: 'GET /api/v1/deal-sets', isAdmitted: true },
      {
        call: 'GET /api/v1/deal-sets/{id}',
        isAdmitted: false,
        status: 404,
        code: 'not_found',
        cause: 'ROLLOUT_GET is off for this buyer',
      },
    ]);
    expect((await explain('no-scope'))[0]).toMatch(/403 insufficient_scope/);
    expect((await explain('over'))[0]).toMatch(/401 unauthenticated: the grant was revoked/);
    expect(await explain('never')).toEqual([
      expect.stringMatching(
        /^GET \/api\/v1\/deal-sets: 401 unauthenticated: the buyer never approved/,
      ),
      expect.stringMatching(/^GET \/api\/v1\/deal-sets\/\{id\}: 401/),
      '',
    ]);
  });

  it('erase removes everything of one buyer and nothing of another', async () => {
    const shop = dealership();
    const [anna, ben] = [buyer(), buyer()];
    const recordsOf = ({ id }: { id: string }): object[] => {
      const set = dealSet({ buyerId: id });
      const row = priceCheck({ buyerId: id, dealershipId: shop.id, dealSetId: set.id });
      const single = priceCheck({ buyerId: id, dealershipId: shop.id });
      const threads = [row, single].flatMap(({ id: priceCheckId }) =>
        [question, draft, reply].map((build) => build({ priceCheckId })),
      );
      return [set, row, single, ...threads, signIn(id).record, grant({ buyerId: id })];
    };
    await load(database, [shop, anna, ben, ...recordsOf(anna), ...recordsOf(ben)]);
    const tables =
      'deal_set price_check question draft reply request_feed buyer_session assistant_grant';
    const stored = async (): Promise<number[]> => {
      const counts = [0, 0];
      for (const table of tables.split(' ')) {
        for (const [index, { id }] of [anna, ben].entries()) {
          counts[index]! += (
            await database.query(`SELECT FROM ${table} WHERE buyer_id = $1`, [id])
          ).length;
        }
      }
      return counts;
    };
    expect(await stored()).toEqual([13, 13]);
    // Standard input is not a terminal there.
    const rejection = await runCommand(['erase', '--buyer', anna.id], {
      env: { DATABASE_URL: database.url },
    });
    expect(rejection).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'No terminal to confirm on: pass --yes.\n',
    });
    expect(await stored()).toEqual([13, 13]);
    expect(await noteOf(['erase', '--buyer', anna.id, '--yes'])).toBe(
      `Erased buyer ${anna.id}: deal sets 1, price checks with their threads 2, sessions 1, grants 1.\n`,
    );
    expect(await stored()).toEqual([0, 13]);
  });
});
