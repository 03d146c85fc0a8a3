import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, type DatabaseError } from 'pg';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { runCommand, type CommandOutcome } from '../setup/run-command.js';
import { temporaryDirectory } from '../setup/test-cluster.js';
import { openTestDatabase, type TestDatabase } from '../setup/test-database.js';

const DATABASE = 'deal_sets';
/** The two logins of deploy/logins.sql, and the owner of the database, which is not a superuser. */
const PASSWORDS = { READER_PASSWORD: 'reads', ASSISTANT_PASSWORD: 'asks' };
const OWNER = 'deal_sets_owner';

/** `npm run test:citus` sets this path. */
const PROGRAMS = process.env['CITUS_PROGRAMS'] ?? '';

/**
 * PostgreSQL does not run as root. A server reads the logins' passwords on the other nodes from its
 * password file.
 */
function asPostgres(program: string, args: readonly string[], passFile = ''): void {
  const command = [path.join(PROGRAMS, program), ...args];
  if (process.getuid?.() === 0) command.unshift('runuser', '-u', 'postgres', '--');
  execFileSync(command[0]!, command.slice(1), {
    stdio: ['ignore', 'ignore', 'ignore'],
    cwd: '/',
    env: { ...process.env, PGPASSFILE: passFile },
  });
}

/** One PostgreSQL server of the cluster. */
export class CitusNode {
  constructor(
    readonly port: number,
    private readonly data: string,
  ) {}

  urlOf(login: string, password: string): string {
    return `postgres://${login}:${password}@127.0.0.1:${this.port}/${DATABASE}`;
  }

  /** Every login with its password, on each node, in the format of `~/.pgpass`. */
  create(directory: string): void {
    const secret = path.join(directory, 'superuser');
    asPostgres('initdb', [
      '-D',
      this.data,
      '-U',
      'super',
      '-A',
      'scram-sha-256',
      `--pwfile=${secret}`,
    ]);
    const settings = {
      port: this.port,
      listen_addresses: `'127.0.0.1'`,
      unix_socket_directories: `''`,
      shared_preload_libraries: `'citus'`,
      max_connections: 200,
      wal_level: 'logical',
      fsync: 'off',
      'citus.max_background_task_executors_per_node': 1,
      'citus.node_conninfo': `'sslmode=disable'`,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    writeFileSync(path.join(this.data, 'postgresql.auto.conf'), lines.join(''));
  }

  start(): void {
    const passFile = path.join(path.dirname(this.data), 'pgpass');
    asPostgres('pg_ctl', ['-D', this.data, '-l', `${this.data}.log`, '-w', 'start'], passFile);
  }

  stop(how: 'fast' | 'immediate'): void {
    asPostgres('pg_ctl', ['-D', this.data, '-m', how, '-w', 'stop']);
  }

  /** The log of PostgreSQL about servers that ended on their own. */
  crashes(): string[] {
    return readFileSync(`${this.data}.log`, 'utf8').match(/.*was terminated by signal.*/g) ?? [];
  }
}

/** A coordinator and two workers on loopback, set up as docs/scaling.md describes. */
export class CitusCluster {
  private constructor(
    private readonly directory: string,
    readonly nodes: readonly [CitusNode, CitusNode, CitusNode],
  ) {}

  static async start(): Promise<CitusCluster> {
    const directory = temporaryDirectory('citus');
    chmodSync(directory, 0o755);
    writeFileSync(path.join(directory, 'superuser'), 'secret', { mode: 0o644 });
    const passwords = Object.entries({
      super: 'secret',
      [OWNER]: 'owns',
      deal_sets_reader_login: PASSWORDS.READER_PASSWORD,
      deal_sets_assistant_login: PASSWORDS.ASSISTANT_PASSWORD,
    });
    const passFile = path.join(directory, 'pgpass');
    writeFileSync(passFile, passwords.map(([login, word]) => `*:*:*:${login}:${word}\n`).join(''));
    chmodSync(passFile, 0o600);
    if (process.getuid?.() === 0) {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
      );
      chownSync(directory, uid!, gid!);
      chownSync(passFile, uid!, gid!);
    }
    const ports = [await freePort(), await freePort(), await freePort()];
    const nodes = ports.map((port) => new CitusNode(port, path.join(directory, String(port))));
    const cluster = new CitusCluster(directory, nodes as [CitusNode, CitusNode, CitusNode]);
    for (const node of nodes) {
      node.create(directory);
      node.start();
      await cluster.asSuperuser(
        node,
        'postgres',
        `CREATE ROLE ${OWNER} LOGIN CREATEROLE PASSWORD 'owns'`,
      );
      await cluster.asSuperuser(node, 'postgres', `CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
      await cluster.asSuperuser(node, DATABASE, 'CREATE EXTENSION citus');
    }
    const [coordinator, ...workers] = nodes;
    await cluster.asSuperuser(
      coordinator!,
      DATABASE,
      [
        `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator!.port})`,
        ...workers.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
        `CREATE SCHEMA deal_sets AUTHORIZATION ${OWNER}`,
      ].join(';'),
    );
    return cluster;
  }

  get coordinator(): CitusNode {
    return this.nodes[0];
  }

  /** The address of the coordinator, as the owner of the tables. */
  get url(): string {
    return this.coordinator.urlOf(OWNER, 'owns');
  }

  /**
   * The addresses for the service's reads. Each has its own login, because switching roles does not
   * reach the workers.
   */
  get readers(): Readonly<Record<string, string>> {
    return {
      DATABASE_READER_URL: this.coordinator.urlOf(
        'deal_sets_reader_login',
        PASSWORDS.READER_PASSWORD,
      ),
      DATABASE_ASSISTANT_URL: this.coordinator.urlOf(
        'deal_sets_assistant_login',
        PASSWORDS.ASSISTANT_PASSWORD,
      ),
    };
  }

  run(args: readonly string[], input = ''): Promise<CommandOutcome> {
    return runCommand(args, { env: { DATABASE_URL: this.url, ...this.readers }, input });
  }

  /** The logins that `docs/operations/install.md` describes. */
  makeLogins(): void {
    const file = path.join(__dirname, '../../deploy/logins.sql');
    execFileSync(
      path.join(PROGRAMS, 'psql'),
      ['--quiet', '--set=ON_ERROR_STOP=1', '--single-transaction', `--file=${file}`, this.url],
      { env: { ...process.env, ...PASSWORDS }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
  }

  /** Migrates the database, creates the logins, and distributes the tables. */
  async distribute(): Promise<TestDatabase> {
    expect(await this.run(['migrate'])).toMatchObject({ exitCode: 0 });
    this.makeLogins();
    expect(await this.run(['distribute'])).toMatchObject({ exitCode: 0 });
    return this.open();
  }

  async open(): Promise<TestDatabase> {
    const database = await openTestDatabase(this.url, () => Promise.resolve());
    return { ...database, env: this.readers };
  }

  /** The log of PostgreSQL about servers that ended on their own, on any node. */
  crashes(): string[] {
    return this.nodes.flatMap((node) => node.crashes());
  }

  /**
   * Moves the shards of some buyer to the other worker.
   *
   * @returns false when its locks and a writer's deadlocked, or when a transaction still uses what
   *   an earlier move left on that worker. In either case nothing was moved.
   */
  async moveShardOfABuyer(): Promise<boolean> {
    const [, firstWorker, secondWorker] = this.nodes.map(({ port }) => port);
    return this.asSuperuser(
      this.coordinator,
      DATABASE,
      `SELECT citus_move_shard_placement(shardid, '127.0.0.1', port, '127.0.0.1', ${firstWorker} + ${secondWorker} - port)
       FROM (SELECT p.shardid, n.nodeport AS port FROM deal_sets.buyer b
         JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('deal_sets.buyer', b.id)
         JOIN pg_dist_node n USING (groupid) ORDER BY random() LIMIT 1) s`,
    ).then(
      () => true,
      (error: unknown) => {
        const { code, message } = error as DatabaseError;
        if (code === '40P01' || message.includes('could not be cleaned up')) return false;
        throw error;
      },
    );
  }

  /**
   * Ends each transaction that a worker prepared and the coordinator never completed. The
   * maintenance of Citus does the same once a minute.
   */
  endAbandonedTransactions(): Promise<void> {
    const recover = 'SELECT recover_prepared_transactions()';
    return this.asSuperuser(this.coordinator, DATABASE, recover);
  }

  async asSuperuser(node: CitusNode, database: string, sql: string): Promise<void> {
    const url = Object.assign(new URL(node.urlOf('super', 'secret')), { pathname: `/${database}` });
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  stop(): void {
    for (const node of this.nodes) {
      try {
        node.stop('immediate');
      } catch {
        // The test has stopped the node.
      }
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
