import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { EmbeddedPostgres, EmbeddedPostgresError } from '../src/index.js';
import { isRunning, readPostmasterFile } from '../src/cluster.js';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { eventually } from '../../../test/setup/eventually.js';
import { temporaryDirectory } from '../../../test/setup/test-cluster.js';

const MODULE = pathToFileURL(path.resolve('packages/embedded-postgres/dist/index.js')).href;

/** The code of a process that runs the embedded PostgreSQL until it is stopped or killed. */
const HOLDER = `
  const { EmbeddedPostgres } = await import(${JSON.stringify(MODULE)});
  const server = await EmbeddedPostgres.attachOrStart({ directory: process.argv[1] });
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
  process.on('SIGINT', () => {});
  setInterval(() => {}, 1000);
  console.log(JSON.stringify({ url: server.url, isOwner: server.isOwner }));
`;

interface Holder {
  readonly child: ChildProcess;
  readonly url: string;
  readonly isOwner: boolean;
}

describe('the embedded PostgreSQL', () => {
  let directory: string;
  /** A folder with data that is created once, because `initdb` takes most of a test's time. */
  let prepared: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    prepared = directory = newDirectory();
    await (await start()).stop();
  });
  beforeEach(() => (directory = newDirectory()));
  afterAll(() => rmSync(prepared, { recursive: true, force: true }));
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    await eventually(() => expect(serverPid()).toBeUndefined());
    rmSync(directory, { recursive: true, force: true });
  });

  function newDirectory(): string {
    const made = temporaryDirectory('embedded');
    chmodSync(made, 0o755);
    return made;
  }
  /** Copies the prepared data to the test's folder and keeps the owner of its files. */
  const prepare = (): void =>
    void execFileSync('cp', ['-a', path.join(prepared, 'postgres'), directory]);
  const start = (): Promise<EmbeddedPostgres> =>
    EmbeddedPostgres.attachOrStart({ directory, isThrowAway: true });
  const dataDirectory = (): string => path.join(directory, 'postgres');
  const serverPid = (): number | undefined => {
    const pid = readPostmasterFile(dataDirectory())?.pid;
    return pid !== undefined && isRunning(pid) ? pid : undefined;
  };

  async function startHolder(): Promise<Holder> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, directory], {
      env: childEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, ...(JSON.parse(line.toString()) as { url: string; isOwner: boolean }) };
  }

  /** Returns the process id of the shell that waits for the owner to end. */
  function watchdog(): number {
    const pid = readdirSync('/proc').find((name) => {
      if (!/^\d+$/.test(name) || !existsSync(`/proc/${name}/cmdline`)) return false;
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      return args.includes(dataDirectory()) && args.some((arg) => arg.startsWith('cat >/dev/null'));
    });
    if (pid === undefined) throw new Error('the server has no watchdog');
    return Number(pid);
  }

  /** Kills a process and waits until it has ended. A zombie counts as ended. */
  async function killAndWait(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(isRunning(pid)).toBe(false));
  }

  async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('keeps its port across starts while the port is free', async () => {
    prepare();
    const portOf = ({ url }: EmbeddedPostgres): number => Number(new URL(url).port);
    const first = await start();
    const port = portOf(first);
    await first.stop();
    const second = await start();
    expect(portOf(second)).toBe(port);
    await second.stop();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const third = await start();
    other.close();
    expect(portOf(third)).not.toBe(port);
    await third.stop();
  });

  it('uses UTF8 and the C locale, with ICU, requires the password and keeps its data', async () => {
    prepare();
    const first = await start();
    expect(first.isOwner).toBe(true);
    expect(
      await ask(
        first.url,
        `SELECT current_database() AS name, current_setting('server_encoding') AS encoding, datcollate AS locale,
           lower(upper('straße ΣΊΣΥΦΟΣ' COLLATE "und-x-icu")) AS folded
         FROM pg_database WHERE datname = current_database()`,
      ),
    ).toEqual([{ name: 'deal_sets', encoding: 'UTF8', locale: 'C', folded: 'strasse σίσυφος' }]);
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    expect(await ask(first.url, 'SHOW listen_addresses')).toEqual([
      { listen_addresses: '127.0.0.1' },
    ]);
    // The server requires the password, and only the owner of the password file can read that file.
    const file = path.join(dataDirectory(), 'superuser.password');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim().length).toBeGreaterThanOrEqual(32);
    const wrong = Object.assign(new URL(first.url), { password: 'guess' }).href;
    await expect(ask(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    await first.stop();
    expect(serverPid()).toBeUndefined();

    const second = await start();
    expect(await ask(second.url, 'TABLE kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it('is shared by the processes of one folder, and stays with its owner', async () => {
    prepare();
    const holder = await startHolder();
    const guest = await start();
    expect([holder.isOwner, guest.isOwner]).toEqual([true, false]);
    expect(guest.url).toBe(holder.url);
    await guest.stop();
    expect(await ask(holder.url, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
    holder.child.kill('SIGTERM');
    await once(holder.child, 'exit');
    expect(serverPid()).toBeUndefined();
  });

  it('is started once when several processes start together on a folder without data', async () => {
    const holders = await Promise.all([startHolder(), startHolder(), startHolder()]);
    expect(holders.filter(({ isOwner }) => isOwner)).toHaveLength(1);
    expect(new Set(holders.map(({ url }) => url)).size).toBe(1);
  });

  it("ignores the Ctrl-C of its owner's terminal, and ends soon after its owner is killed", async () => {
    prepare();
    const holder = await startHolder();
    process.kill(-holder.child.pid!, 'SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await ask(holder.url, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
    const pid = serverPid();
    expect(pid).toBeDefined();
    holder.child.kill('SIGKILL');
    await eventually(() => expect(isRunning(pid!)).toBe(false));
  });

  it.each([
    ['starts again at once after its owner was killed', false],
    ['recovers when owner and server were killed together', true],
  ])('%s, with all committed data', async (_title, isServerKilled) => {
    prepare();
    const holder = await startHolder();
    await ask(holder.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    if (isServerKilled) process.kill(serverPid()!, 'SIGKILL');
    await killAndWait(holder.child.pid!);
    const server = await start();
    expect(server.isOwner).toBe(true);
    expect(await ask(server.url, 'TABLE kept')).toEqual([{ answer: 42 }]);
    await server.stop();
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux(
    'takes over the server of a killed owner whose parent has not waited for it',
    async () => {
      prepare();
      // The shell starts the owner and then replaces itself with `sleep`, which never waits for the
      // owner.
      const parent = spawn(
        '/bin/sh',
        [
          '-c',
          '"$0" --input-type=module -e "$1" "$2" & echo $!; exec sleep 120',
          process.execPath,
          HOLDER,
          directory,
        ],
        { env: childEnvironment(), stdio: ['ignore', 'pipe', 'inherit'], detached: true },
      );
      children.push(parent);
      let output = '';
      parent.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await eventually(() => expect(output).toMatch(/^\d+\n.*isOwner.*\n/));
      // The watchdog is killed first, so that the server is still running when the owner ends.
      const before = serverPid();
      process.kill(watchdog(), 'SIGKILL');
      await killAndWait(parseInt(output, 10));
      const server = await start();
      expect(server.isOwner).toBe(true);
      expect(serverPid()).not.toBe(before);
      await server.stop();
    },
  );

  it('ignores a lock file whose process id now belongs to another program', async () => {
    prepare();
    const { uid, gid } = statSync(dataDirectory());
    const other = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {});
    children.push(other);
    const lines = [other.pid, dataDirectory(), 1, 5432, '', '127.0.0.1', '1 1', 'ready'];
    const lock = path.join(dataDirectory(), 'postmaster.pid');
    writeFileSync(lock, `${lines.join('\n')}\n`);
    chmodSync(lock, 0o644);
    const server = await start();
    expect(server.isOwner).toBe(true);
    await server.stop();
    expect(other.exitCode).toBeNull();
  });

  it('names in one sentence what prevents its start', async () => {
    const file = path.join(directory, 'a-file');
    writeFileSync(file, '');
    const failure = EmbeddedPostgres.attachOrStart({ directory: file });
    await expect(failure).rejects.toThrow(EmbeddedPostgresError);
    await expect(failure).rejects.toThrow(/^The embedded PostgreSQL .*, or set DATABASE_URL\.$/);
  });

  it('rejects data of another version', async () => {
    prepare();
    writeFileSync(path.join(dataDirectory(), 'PG_VERSION'), '15\n');
    await expect(start()).rejects.toThrow(/made by another version of PostgreSQL/);
  });
});
