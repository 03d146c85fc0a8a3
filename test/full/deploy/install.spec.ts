import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { childEnvironment } from '../../setup/child-environment.js';
import { describeWith, findProgram } from '../../setup/describe-with.js';
import { fencedBlocks, type FencedBlock } from '../../setup/documented-commands.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';

const PROJECT = path.resolve(__dirname, '../../..');
const PROGRAM = findProgram('psql') && findProgram('curl');

const GUIDE = 'docs/operations/install.md';
const blocks = fencedBlocks(GUIDE, '## A first response');
const erasure = fencedBlocks(GUIDE, '### The proxy').find(({ code }) => code.includes(' erase '))!;
/** The command that makes the owner and the database. */
const AS_SUPERUSER = 'sudo -u postgres psql';
const logins = blocks.find(({ code }) => code.includes('deploy/logins.sql'))!;
const isBuild = ({ code }: FencedBlock): boolean => code.startsWith('npm ci');

describeWith(PROGRAM, 'psql or curl', 'the commands of docs/operations/install.md', () => {
  const directory = temporaryDirectory('install');
  const settingsFile = (name: string): string => path.join(directory, 'settings', name);
  let server: EmbeddedPostgres;
  let places: ReadonlyMap<string, string>;
  let shell: ChildProcess | undefined;

  beforeAll(async () => {
    chmodSync(directory, 0o755);
    server = await EmbeddedPostgres.attachOrStart({
      directory: path.join(directory, 'server'),
      database: 'postgres',
      isThrowAway: true,
    });
    // A checkout with a built service.
    for (const name of ['deploy', 'dist']) {
      symlinkSync(path.join(PROJECT, name), path.join(directory, name));
    }
    places = new Map([
      // The test may write to its own folders without further rights.
      [AS_SUPERUSER, `psql ${server.url}`],
      ['sudo install', 'install'],
      ['/etc/deal-sets', path.join(directory, 'settings')],
      ['127.0.0.1:5432', new URL(server.url).host],
      ['127.0.0.1:3000', `127.0.0.1:${await freePort()}`],
      ['MANAGEMENT_PORT=9464', `MANAGEMENT_PORT=${await freePort()}`],
    ]);
  });
  afterAll(async () => {
    // The service is in the shell's process group. It has ended unless the commands failed.
    if (shell?.pid !== undefined) {
      try {
        process.kill(-shell.pid, 'SIGKILL');
      } catch {
        // The group has ended.
      }
    }
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The commands as documented, with the addresses and paths of this test. */
  const placed = (code: string): string => {
    let script = code;
    for (const [documented, actual] of places) script = script.replaceAll(documented, actual);
    const port = places.get('127.0.0.1:3000')!.split(':')[1]!;
    return script.replaceAll(/^PORT=3000$/gm, `PORT=${port}`);
  };
  const asSuperuser = (sql: string): void => {
    const { status, stderr } = spawnSync('psql', ['--set=ON_ERROR_STOP=1', server.url], {
      input: sql,
      encoding: 'utf8',
      env: childEnvironment(),
    });
    expect([status, stderr]).toEqual([0, '']);
  };
  const run = async (script: string): Promise<string> => {
    shell = spawn('bash', ['-c', `set -euo pipefail\n${script}`], {
      cwd: directory,
      env: childEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let stdout = '';
    let stderr = '';
    shell.stdout!.on('data', (data: Buffer) => (stdout += data.toString()));
    shell.stderr!.on('data', (data: Buffer) => (stderr += data.toString()));
    const [exitCode] = (await once(shell, 'close')) as [number | null];
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}\n${stdout}\n${stderr}`);
    return stdout;
  };

  it('lead from an empty server to a response for the buyer and for the assistant', async () => {
    const commands = [...blocks.filter((block) => !isBuild(block)), { code: 'wait' }, erasure];
    const output = await run(placed(commands.map(({ code }) => code).join('\n')));
    expect(output).toContain('{"status":"ok"}');
    expect(output.match(/"make":"Mazda"/g)).toHaveLength(2);
    const log = readFileSync(path.join(directory, 'service.log'), 'utf8');
    expect(log).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('keep every secret in a file that only its owner can read, and out of the environment', () => {
    const secrets = readdirSync(path.join(directory, 'settings')).filter(
      (name) => !name.endsWith('.env'),
    );
    const expected = ['assistant-password', 'owner-password', 'pgpass', 'reader-password'];
    expect(secrets.sort()).toEqual(expected);
    for (const name of secrets) expect(statSync(settingsFile(name)).mode & 0o077).toBe(0);
    for (const name of ['owner.env', 'service.env']) {
      const addresses = readFileSync(settingsFile(name), 'utf8').match(/postgres:[^']+/g)!;
      expect(addresses.map((address) => new URL(address).password).join('')).toBe('');
    }
  });

  it.each(['missing', 'empty'])(
    'stop and change no password if the password file of a login is %s',
    async (state) => {
      const secrets = async (): Promise<unknown> => {
        const client = new Client({ connectionString: server.url });
        await client.connect();
        const { rows } = await client
          .query("SELECT rolname, rolpassword FROM pg_authid WHERE rolname ~ '_login$' ORDER BY 1")
          .finally(() => client.end());
        return rows;
      };
      const before = await secrets();
      expect(before).toHaveLength(2);
      if (state === 'empty') writeFileSync(path.join(directory, state), '\n');
      const statement = logins.code.slice(logins.code.indexOf('PGPASSFILE='));
      const script = placed(statement).replace(
        `=${settingsFile('assistant-password')}`,
        `=${path.join(directory, state)}`,
      );
      await expect(run(script)).rejects.toThrow(/exit code 3[^]*ERROR: .*ASSISTANT_PASSWORD_FILE/);
      expect(await secrets()).toEqual(before);
    },
  );

  it('include the build, which another script runs', () => {
    expect(blocks.filter(isBuild)).toHaveLength(1);
  });

  it.each(['deal_sets_reader', 'deal_sets_assistant'])(
    'let the owner switch to %s, as a service does that has only DATABASE_URL',
    async (role) => {
      const url = new URL(server.url);
      Object.assign(url, {
        username: 'deal_sets_owner',
        password: readFileSync(settingsFile('owner-password'), 'utf8').trim(),
        pathname: '/deal_sets',
      });
      const client = new Client({ connectionString: url.href, options: `-c role=${role}` });
      await client.connect();
      try {
        expect((await client.query('SELECT current_user AS name')).rows).toEqual([{ name: role }]);
      } finally {
        await client.end();
      }
    },
  );

  it('need CREATEROLE only for the first migration', async () => {
    asSuperuser('ALTER ROLE deal_sets_owner NOCREATEROLE');
    await run(`node --env-file=${settingsFile('owner.env')} dist/cli.js migrate`);
  });
});
