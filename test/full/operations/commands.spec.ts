import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { pathToFileURL } from 'node:url';
import { buyer, dealership, dealSet, load, priceCheck } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { runCommand, startCommand } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { AUDIT_LINE, commandSuite, UNKNOWN } from '../../api/operations/command-suite.js';

const REAL_ISSUER = {
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'api',
  AUTH_JWKS_URL: 'https://issuer.example/keys',
};
/** Commands with a required option. */
const REQUIRING = ['approve', 'approvals', 'token', 'session', 'revoke', 'erase'];
const COMMANDS =
  'serve migrate rebuild distribute import token approve approvals session revoke prune erase export'.split(
    ' ',
  );

describe('the command', () => {
  const suite = commandSuite();
  const { run, noteOf, expectFailure } = suite;
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await createTestDatabase({ isEmpty: true });
  });
  afterAll(() => empty.drop());

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

  it.each(['--help', 'import --help', 'serve --help'])(
    'loads no package but Commander for %s',
    async (line) => {
      const env = {
        NODE_OPTIONS: `--import ${pathToFileURL('test/setup/without-packages.js').href}`,
        WITHOUT_PACKAGES: '^(?!commander$|node:|file:|\\.)',
      };
      const { exitCode, stdout, stderr } = await runCommand(line.split(' '), { env });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain('Usage: deal-sets');
    },
  );

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
      'rebuild --restamp --after yesterday',
    ],
    [/ISO 8601 date and time with a zone/, 'rebuild --restamp --after 2026-10-14T16:00:00'],
    [/^--after is an option of a rebuild with --restamp/, 'rebuild --after 2026-10-14T16:00:00Z'],
    [/^PORT: /, 'migrate', { PORT: 'x' }],
    [/^DATABASE_URL: .*npm run demo/, 'serve', { DATABASE_URL: '' }],
    [/^DATABASE_URL: .*npm run demo/, `session --buyer ${UNKNOWN}`, { DATABASE_URL: '' }],
    [/no buyer .* check the id/, `session --buyer ${UNKNOWN}`],
    [/expected an address like/, 'migrate --check', { DATABASE_URL: 'postgres:wrong@host/db' }],
    [/AUTH_ISSUER/, `token --buyer ${UNKNOWN} --client a`, REAL_ISSUER],
    [/NODE_ENV/, `token --buyer ${UNKNOWN} --client a`, { NODE_ENV: 'production' }],
    [/^nowhere\.ndjson: There is no such file/, 'import nowhere.ndjson'],
    [/^This is a directory: specify a file/, 'import .', { DATABASE_URL: '' }],
    [/either --client or --sessions/, `revoke --buyer ${UNKNOWN}`],
    [/no buyer/, `approve --buyer ${UNKNOWN} --client helper`],
    [/no buyer .* check the id/, `export --buyer ${UNKNOWN}`],
    [/no buyer .* check the id/, `rebuild --buyer ${UNKNOWN}`],
  ])('fails in one line: %s for %s', (words, line, env = {}) =>
    expectFailure(line.split(' '), words, env),
  );

  describe('migrate', () => {
    it('applies and checks migrations; until it has run, other commands refer to it', async () => {
      const env = { DATABASE_URL: empty.url };
      await expectFailure(['session', '--buyer', UNKNOWN], /deal-sets migrate/, env);
      await expectFailure(['migrate', '--check'], /Pending: schema-\d+, the code of sql/, env);
      expect(await noteOf(['migrate'], env)).toMatch(/^Applied schema-\d+\. Applied the code/);
      expect(await noteOf(['migrate', '--check'], env)).toBe('Nothing is pending.\n');
      expect(await noteOf(['migrate'], env)).toBe(
        'No migration was pending. The code of sql/ is up to date.\n',
      );
    });
  });

  describe('rebuild', () => {
    it('reports how many requests it compared, and how many of them got a new stamp', async () => {
      const [anna, shop] = [buyer(), dealership()];
      const finishedAt = '2026-01-05T00:00:00Z';
      const single = priceCheck({ buyerId: anna.id, dealershipId: shop.id, finishedAt });
      await load(suite.database, [anna, shop, dealSet({ buyerId: anna.id }), single]);
      await suite.database.query('UPDATE deal_sets.request_feed SET has_finished = false');
      const compared = 'Compared 2 requests of 1 buyer';
      expect(await noteOf(['rebuild'])).toBe(`${compared}: 1 got a new stamp.\n`);
      expect(await noteOf(['rebuild'])).toBe(`${compared}: 0 got a new stamp.\n`);
    });

    it('prints with --restamp the time by which it can be continued, and what it stamped', async () => {
      const anna = buyer();
      await load(suite.database, [
        anna,
        dealSet({ buyerId: anna.id }),
        dealSet({ buyerId: anna.id }),
      ]);
      const ofAnna = ['rebuild', '--buyer', anna.id, '--restamp'];
      const stamped = (count: number): string =>
        `Compared 2 requests of 1 buyer: ${count} got a new stamp.\n`;
      const note = await noteOf(ofAnna);
      const [, time = ''] = /--after (\S+)`\.\n/.exec(note) ?? [];
      expect(note).toBe(
        `Stamping every request whose stamp is not after ${time}. If this is interrupted, continue with \`deal-sets rebuild --buyer ${anna.id} --restamp --after ${time}\`.\n` +
          stamped(2),
      );
      expect(await noteOf([...ofAnna, '--after', time])).toContain(stamped(0));
      // Without a time, the rebuild waits for the next millisecond, which nobody needs to know.
      const soon = new Date(Date.now() + 800).toISOString();
      expect(await noteOf([...ofAnna, '--after', soon])).not.toContain('waiting');
      const later = new Date(Date.now() + 3_000).toISOString();
      const waited = await noteOf([...ofAnna, '--after', later]);
      expect(waited).toMatch(/\nwaiting \d s until the database's clock has passed that time\n/);
      expect(waited).toContain(`\n${stamped(2)}`);
    });

    it('reports on SIGINT what is done, and how to continue', async () => {
      const anna = buyer();
      await load(suite.database, [anna, dealSet({ buyerId: anna.id })]);
      const after = new Date(Date.now() + 3_600_000).toISOString();
      const args = ['rebuild', '--buyer', anna.id, '--restamp', '--after', after];
      const child = startCommand(args, { env: { DATABASE_URL: suite.database.url } });
      let stderr = '';
      child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      await eventually(() => expect(stderr).toContain('\nwaiting '));
      child.kill('SIGINT');
      expect(await once(child, 'close')).toEqual([130, null]);
      expect(stderr).toMatch(
        new RegExp(`\\nInterrupted\\. To continue, run \`deal-sets ${args.join(' ')}\`\\.\\n$`),
      );
    });
  });

  it.each<[action: string, line: string, subject: object]>([
    ['approve', 'approve --buyer ID --client helper', { buyer: 'ID', client: 'helper' }],
    ['revoke', 'revoke --buyer ID --client helper', { buyer: 'ID', client: 'helper' }],
    ['revoke', 'revoke --buyer ID --sessions', { buyer: 'ID', sessions: true }],
    ['session', 'session --buyer ID', { buyer: 'ID' }],
    ['export', 'export --buyer ID', { buyer: 'ID' }],
    ['rebuild', 'rebuild --buyer ID --restamp', { buyer: 'ID', restamp: true }],
    ['rebuild', 'rebuild', {}],
    ['erase', 'erase --yes --buyer ID', { buyer: 'ID' }],
  ])('writes an audit line for %s: %s', async (action, line, subject) => {
    const anna = buyer();
    await load(suite.database, [anna]);
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
});
