import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
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

const blocks = fencedBlocks('docs/operations.md', '### From nothing');
const codeOf = (chosen: (block: FencedBlock) => boolean): string =>
  blocks
    .filter(chosen)
    .map(({ code }) => code)
    .join('\n');
const isBuild = ({ code }: FencedBlock): boolean => code.startsWith('npm ci');

describeWith(PROGRAM, 'psql or curl', 'the commands that docs/operations.md starts with', () => {
  const directory = temporaryDirectory('from-nothing');
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
    asSuperuser(codeOf(({ language }) => language === 'sql'));
    const output = await run(
      placed(codeOf((block) => block.language === 'sh' && !isBuild(block))) + '\nwait',
    );
    expect(output).toContain('{"status":"ok"}');
    expect(output.match(/"make":"Mazda"/g)).toHaveLength(2);
    const log = readFileSync(path.join(directory, 'service.log'), 'utf8');
    expect(log).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('include the build, which another script runs', () => {
    expect(blocks.filter(isBuild)).toHaveLength(1);
  });

  it.each(['deal_sets_reader', 'deal_sets_assistant'])(
    'let the owner switch to %s, as a service does that has only DATABASE_URL',
    async (role) => {
      const url = new URL(server.url);
      Object.assign(url, {
        username: 'deal_sets_owner',
        password: 'owner-password',
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
    await run('node --env-file=owner.env dist/cli.js migrate');
  });
});
