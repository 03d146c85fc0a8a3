/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback -- for suites to use */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { temporaryDirectory } from '../setup/test-cluster.js';

/** A login as PgBouncer knows it, for its clients and for the server behind. */
export interface PoolerLogin {
  readonly name: string;
  readonly password: string;
}

/** Whether this machine has a `pgbouncer`; Debian keeps it where not every path looks. */
const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);
export const PGBOUNCER_VERSION = PROGRAM
  ? /\d+\.\d+\S*/.exec(spawnSync(PROGRAM, ['--version']).stdout.toString())?.[0]
  : undefined;

/** `describe` where there is a PgBouncer. Elsewhere the suite says loudly that it did not run. */
export function describeWithPgBouncer(name: string, tests: () => void): void {
  if (PGBOUNCER_VERSION !== undefined) {
    describe(name, tests);
    return;
  }
  console.warn(`NOT RUN for want of pgbouncer on this machine: ${name}`);
  describe(name, () => {
    it('did NOT run: there is no pgbouncer on this machine', () => {
      expect(PGBOUNCER_VERSION).toBeUndefined();
    });
  });
}

/** A real PgBouncer in transaction mode before one database. */
export class PgBouncer {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly directory: string,
  ) {}

  /**
   * @param databaseUrl of the database behind; clients find it under the same name.
   * @param poolSize connections to the server for each login.
   */
  static async start(
    databaseUrl: string,
    logins: readonly PoolerLogin[],
    poolSize: number,
  ): Promise<PgBouncer> {
    if (PROGRAM === undefined) throw new Error('there is no pgbouncer on this machine');
    const directory = temporaryDirectory('pgbouncer');
    // It refuses to run as root, and then has to reach its files as someone else.
    chmodSync(directory, 0o755);
    const { hostname, port: serverPort, pathname } = new URL(databaseUrl);
    const name = pathname.slice(1);
    const users = path.join(directory, 'users.txt');
    writeFileSync(users, logins.map((login) => `"${login.name}" "${login.password}"\n`).join(''));
    const port = await freePort();
    const config = path.join(directory, 'pgbouncer.ini');
    writeFileSync(
      config,
      `[databases]
${name} = host=${hostname} port=${serverPort} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
`,
    );
    const child = spawn(PROGRAM, [config], { ...account(), stdio: 'ignore' });
    const pooler = new PgBouncer(port, child, directory);
    await pooler.#untilReady(pooler.through(databaseUrl, logins[0]!));
    return pooler;
  }

  /** The database's address by way of the pooler, with this login. */
  through(databaseUrl: string, { name, password }: PoolerLogin): string {
    const url = new URL(databaseUrl);
    Object.assign(url, { port: String(this.port), username: name, password });
    return url.href;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #untilReady(url: string): Promise<void> {
    const until = Date.now() + 10_000;
    for (;;) {
      const client = new Client({ connectionString: url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.end();
        return;
      } catch (error) {
        if (this.child.exitCode !== null || Date.now() > until) throw error;
        await sleep(30);
      }
    }
  }
}

/** Anyone but root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const passwd = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = passwd.find((line) => line.startsWith('nobody:'))?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
