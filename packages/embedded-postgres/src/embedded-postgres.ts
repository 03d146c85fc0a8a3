import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Cluster, isRunning, type Settings } from './cluster.js';
import { EmbeddedPostgresError } from './programs.js';

/** The options of `EmbeddedPostgres.attachOrStart`. */
export interface EmbeddedPostgresOptions {
  /**
   * The directory for all files of the embedded PostgreSQL. Default: `.data` in the working
   * directory.
   */
  readonly directory?: string;
  /** The name of the database, which is created unless it exists. Default: `deal_sets`. */
  readonly database?: string;
  /**
   * Whether data may be lost in a power failure. This is much faster and intended for tests.
   * Default: false.
   */
  readonly isThrowAway?: boolean;
  /** Further settings of PostgreSQL by name; they override the defaults of this package. */
  readonly settings?: Settings;
}

/** How long another process may take to start or stop the server, in milliseconds. */
const OTHERS_LIMIT_MS = 30_000;
const POLL_MS = 50;

const SETTINGS: Settings = {
  listen_addresses: '127.0.0.1',
  // No socket file is created, because in a deep folder its path would exceed the limit of 107
  // bytes.
  unix_socket_directories: '',
  shared_buffers: '128MB',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
const THROW_AWAY_SETTINGS: Settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/**
 * A real PostgreSQL from node_modules, for a machine without one. It listens only on 127.0.0.1, on
 * a free port, with a password generated together with its data directory.
 */
export class EmbeddedPostgres {
  private constructor(
    private readonly cluster: Cluster,
    /** The address of the database, with the superuser's credentials. */
    readonly url: string,
    /** Whether this process started the server and therefore stops it. */
    readonly isOwner: boolean,
  ) {}

  /** The data directory of the cluster. */
  get dataDirectory(): string {
    return this.cluster.dataDirectory;
  }

  /**
   * Uses the server that another live process runs on the directory, or starts one. A server whose
   * owner has died is stopped and started again; PostgreSQL recovers after a crash.
   *
   * @throws {EmbeddedPostgresError} with one sentence that names the problem and the fix.
   */
  static async attachOrStart(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
    const { database = 'deal_sets', isThrowAway = false, settings } = options;
    const directory = await makeDirectory(options.directory ?? '.data');
    const cluster = new Cluster(path.join(directory, 'postgres'));
    const chosen = {
      ...SETTINGS,
      ...(isThrowAway ? THROW_AWAY_SETTINGS : {}),
      ...settings,
      // Tells later processes which process owns this server.
      cluster_name: `owner ${process.pid}`,
    };
    const until = Date.now() + OTHERS_LIMIT_MS;
    let isOwner = false;
    do {
      if (!cluster.running()) {
        await cluster.make(isThrowAway);
        isOwner = await cluster.start(chosen);
      }
      const running = cluster.running();
      if (running?.isReady) {
        const url = await openDatabase(cluster, running.port, database).catch(unlessHopeless);
        if (url !== undefined) return new EmbeddedPostgres(cluster, url, isOwner);
      }
      await sleep(POLL_MS);
    } while (Date.now() < until);
    throw EmbeddedPostgresError.create(
      `in ${cluster.dataDirectory} is used by another process and cannot be reached: stop that process`,
    );
  }

  /**
   * Stops the server if this process owns it. Connections are closed; committed data is kept.
   */
  async stop(): Promise<void> {
    if (this.isOwner) await this.cluster.stop();
  }
}

async function makeDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true });
    return await realpath(directory);
  } catch (error) {
    throw EmbeddedPostgresError.ofFile(error, path.resolve(directory));
  }
}

/**
 * Throws the error if another attempt cannot succeed, for example because a file is unreadable. A
 * rejected connection is tried again, because the server may be starting or stopping.
 */
function unlessHopeless(error: unknown): undefined {
  if (error instanceof EmbeddedPostgresError) throw error;
}

/**
 * Creates the database unless it exists, and returns its address. A server whose owner has died is
 * stopped, and the result is undefined.
 */
async function openDatabase(
  cluster: Cluster,
  port: number,
  database: string,
): Promise<string | undefined> {
  const password = await cluster.password();
  const url = (name: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${name}`;
  const client = new Client({ connectionString: url('postgres'), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ owner: string; exists: boolean }>(
      `SELECT current_setting('cluster_name') AS owner,
         EXISTS (SELECT FROM pg_database WHERE datname = $1) AS exists`,
      [database],
    );
    const [row] = rows;
    if (!isRunning(Number(row?.owner.replace('owner ', '')))) {
      await cluster.stop();
      return undefined;
    }
    if (!row?.exists) {
      await client
        .query(`CREATE DATABASE ${client.escapeIdentifier(database)}`)
        .catch((error: unknown) => {
          // Another process has just created it.
          if ((error as { code?: string }).code !== '42P04') throw error;
        });
    }
  } finally {
    await client.end().catch(() => undefined);
  }
  return url(encodeURIComponent(database));
}
