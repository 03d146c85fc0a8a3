import { chmodSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { writerDataSource } from '../../../src/database/data-source.js';
import { EmbeddedPostgres } from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import { Cluster } from '../../../packages/embedded-postgres/src/cluster.js';
import { migrate } from '../../../src/database/migrate.js';
import { eventually } from '../../setup/eventually.js';
import { plantInDatabase } from '../../setup/planted-fault.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';
import type { TestDatabase } from '../../setup/test-database.js';

const SETTINGS = {
  max_connections: '100',
  max_prepared_transactions: '10',
  max_wal_senders: '10',
  wal_level: 'logical',
};

/** A streaming replica of the cluster's primary. */
export class Standby {
  constructor(
    readonly url: string,
    private readonly server: Cluster,
    private readonly client: Client,
    private readonly primary: TestDatabase,
  ) {}

  /** Stops showing what the primary commits from now on. */
  async pause(): Promise<void> {
    await this.client.query('SELECT pg_wal_replay_pause()');
    await eventually(async () => {
      const { rows } = await this.client.query('SELECT pg_get_wal_replay_pause_state() AS state');
      expect(rows).toEqual([{ state: 'paused' }]);
    });
  }

  async resume(): Promise<void> {
    await this.client.query('SELECT pg_wal_replay_resume()');
  }

  /** Waits until everything that is committed on the primary now can be seen here. */
  async catchUp(): Promise<void> {
    const [row] = await this.primary.query<{ lsn: string }>(
      'SELECT pg_current_wal_insert_lsn() AS lsn',
    );
    // What is committed without waiting for the disk reaches a replica a little later.
    await this.primary.query('SELECT pg_switch_wal()');
    await eventually(async () => {
      const { rows } = await this.client.query<{ is_there: boolean }>(
        'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS is_there',
        [row!.lsn],
      );
      expect(rows).toEqual([{ is_there: true }]);
    }, 20_000);
  }

  async stop(): Promise<void> {
    await this.client.end().catch(() => undefined);
    await this.server.stop();
  }
}

/** A primary of its own, with the settings PostgreSQL needs before it starts, and its replicas. */
export class ReplicatedCluster {
  readonly standbys: Standby[] = [];
  readonly #databases: TestDatabase[] = [];

  private constructor(
    private readonly directory: string,
    private readonly server: EmbeddedPostgres,
  ) {}

  static async start(): Promise<ReplicatedCluster> {
    const directory = temporaryDirectory('replicated');
    chmodSync(directory, 0o755);
    const server = await EmbeddedPostgres.attachOrStart({
      directory: path.join(directory, 'primary'),
      database: 'main',
      isThrowAway: true,
      settings: SETTINGS,
    });
    return new ReplicatedCluster(directory, server);
  }

  /** A migrated database on the primary. */
  async database(name: string): Promise<TestDatabase> {
    const url = Object.assign(new URL(this.server.url), { pathname: `/${name}` }).href;
    if (name !== 'main') {
      const admin = await connected(this.server.url);
      await admin.query(`CREATE DATABASE ${name}`);
      await admin.end();
    }
    const dataSource = await writerDataSource({ url }).initialize();
    await migrate(dataSource);
    await plantInDatabase(dataSource);
    await dataSource.destroy();
    const client = await connected(url);
    const database: TestDatabase = {
      url,
      name,
      client,
      async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) {
        return (await client.query<Row>(text, [...values])).rows;
      },
      drop: () => client.end(),
    };
    this.#databases.push(database);
    return database;
  }

  /** Copies the running primary as a base backup does, and starts the copy as its replica. */
  async addStandby(primary: TestDatabase): Promise<Standby> {
    const dataDirectory = path.join(this.directory, `standby-${this.standbys.length}`);
    await primary.query(`SELECT pg_backup_start('standby', true)`);
    await cp(this.server.dataDirectory, dataDirectory, {
      recursive: true,
      filter: (source) => !/postmaster\.(pid|opts)$/.test(source),
    });
    const [backup] = await primary.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    );
    await writeFile(path.join(dataDirectory, 'backup_label'), backup!.labelfile);
    await writeFile(path.join(dataDirectory, 'standby.signal'), '');
    await own(this.server.dataDirectory, dataDirectory);

    const { hostname, port: primaryPort, username, password } = new URL(primary.url);
    const server = new Cluster(dataDirectory);
    await server.start({
      ...SETTINGS,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      timezone: 'UTC',
      primary_conninfo: `host=${hostname} port=${primaryPort} user=${username} password=${password}`,
    });
    const port = String(server.running()!.port);
    const url = Object.assign(new URL(primary.url), { port }).href;
    const standby = new Standby(url, server, await connected(url), primary);
    this.standbys.push(standby);
    return standby;
  }

  async stop(): Promise<void> {
    for (const database of this.#databases) await database.drop().catch(() => undefined);
    for (const standby of this.standbys) await standby.stop();
    await this.server.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A copy made by root belongs to root; PostgreSQL runs as the owner of the original. */
async function own(original: string, copy: string): Promise<void> {
  const { chown, chmod, readdir, stat } = await import('node:fs/promises');
  const { uid, gid } = await stat(original);
  await chmod(copy, 0o700);
  if (process.getuid?.() !== 0) return;
  for (const file of ['', ...(await readdir(copy, { recursive: true }))]) {
    await chown(path.join(copy, file), uid, gid);
  }
}
