import { mkdir, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createDataDirectory, SUPERUSER, superuserPassword } from './data-directory.js';
import { EmbeddedPostgresError, fileProblem } from './embedded-postgres-error.js';
import { freePort } from './free-port.js';
import { postgresAccount } from './postgres-account.js';
import { postgresBinaries } from './postgres-binaries.js';
import {
  isAlive,
  isRunning,
  readPostmasterFile,
  runningPostmaster,
  type PostmasterFile,
} from './postmaster-file.js';
import { ServerTaken, startServer, stopOrphan, type ServerProcess } from './server-process.js';
import { readServerState, removeServerState, writeServerState } from './server-state.js';

export { EmbeddedPostgresError } from './embedded-postgres-error.js';

export interface EmbeddedPostgresOptions {
  /** Folder of everything the embedded PostgreSQL keeps. Default: `.data` in the working directory. */
  readonly directory?: string;
  /** Made when it is not there. Default: `deal_sets`. */
  readonly database?: string;
  /** Data that need not survive a power failure, for tests: much faster. */
  readonly isThrowAway?: boolean;
  /** Further settings of PostgreSQL, by name; they win over those chosen here. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** How long another process may take to start or stop the server on the same data. */
const OTHERS_LIMIT_MS = 30_000;
const POLL_MS = 50;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  // No socket files: a deep folder would exceed the 107 bytes a socket's path may have.
  unix_socket_directories: '',
  shared_buffers: '128MB',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
const THROW_AWAY_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/**
 * A real PostgreSQL out of node_modules, for a machine that has none. It listens on 127.0.0.1 alone, on a
 * port that was free, with a password that was drawn when its data folder was made.
 */
export class EmbeddedPostgres {
  readonly #server: ServerProcess | undefined;
  readonly #stateFile: string;

  private constructor(
    /** Address of the database, as its superuser. */
    readonly url: string,
    /** The cluster's own folder. */
    readonly dataDirectory: string,
    server: ServerProcess | undefined,
    stateFile: string,
  ) {
    this.#server = server;
    this.#stateFile = stateFile;
  }

  /** Whether this process started the server, and so stops it. */
  get isOwner(): boolean {
    return this.#server !== undefined;
  }

  /**
   * Uses the server that another live process runs on the folder, else starts one. A server whose process
   * died is stopped and started anew; the files of a crash are recovered.
   *
   * @throws {EmbeddedPostgresError} with one plain sentence when that cannot work.
   */
  static async attachOrStart(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
    const directory = await makeDirectory(options.directory ?? '.data');
    const files: Files = {
      dataDirectory: path.join(directory, 'postgres'),
      stateFile: path.join(directory, 'postgres.json'),
      logFile: path.join(directory, 'postgres.log'),
    };
    const database = options.database ?? 'deal_sets';
    const until = Date.now() + OTHERS_LIMIT_MS;
    for (;;) {
      const running = runningPostmaster(files.dataDirectory);
      const server = running ? undefined : await tryToStart(files, options);
      if (server) {
        try {
          writeServerState(files.stateFile, {
            port: server.port,
            pid: server.pid,
            ownerPid: process.pid,
          });
          const url = await openDatabase(files.dataDirectory, server.port, database);
          return new EmbeddedPostgres(url, files.dataDirectory, server, files.stateFile);
        } catch (error) {
          await server.stop();
          throw error;
        }
      }
      if (running && (await isServed(running, files))) {
        const url = await openDatabase(files.dataDirectory, running.port, database).catch(
          unlessHopeless,
        );
        // An owner that died while its server was asked takes the server with it: start anew then.
        if (url && hasLiveOwner(running, files)) {
          return new EmbeddedPostgres(url, files.dataDirectory, undefined, files.stateFile);
        }
      }
      if (Date.now() > until) {
        throw new EmbeddedPostgresError(
          `Another process uses the embedded PostgreSQL in ${files.dataDirectory} and does not let it be reached: stop that process, or set DATABASE_URL.`,
        );
      }
      await sleep(POLL_MS);
    }
  }

  /** Stops the server when this process owns it: connections are closed, what was committed is kept. */
  async stop(): Promise<void> {
    if (!this.#server) return;
    await this.#server.stop();
    removeServerState(this.#stateFile, this.#server.pid);
  }
}

interface Files {
  readonly dataDirectory: string;
  readonly stateFile: string;
  readonly logFile: string;
}

async function makeDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true });
    return await realpath(directory);
  } catch (error) {
    throw fileProblem(error, path.resolve(directory));
  }
}

/** The started server, or undefined when another process was faster. */
async function tryToStart(
  files: Files,
  options: EmbeddedPostgresOptions,
): Promise<ServerProcess | undefined> {
  const { dataDirectory, logFile } = files;
  const isThrowAway = options.isThrowAway ?? false;
  const binaries = await postgresBinaries();
  const account = postgresAccount(dataDirectory, binaries.postgres);
  await createDataDirectory(dataDirectory, binaries, account, isThrowAway);
  try {
    return await startServer({
      dataDirectory,
      binaries,
      account,
      logFile,
      port: await freePort(),
      settings: { ...SETTINGS, ...(isThrowAway ? THROW_AWAY_SETTINGS : {}), ...options.settings },
    });
  } catch (error) {
    if (!(error instanceof ServerTaken)) throw error;
    if (error.isLocked) await removeStaleLock(dataDirectory);
    return undefined;
  }
}

/**
 * PostgreSQL takes its lock file for valid while any process of its user has the recorded id. After a
 * restart of the machine that may be some other program: then the file is stale, and only then removed.
 */
async function removeStaleLock(dataDirectory: string): Promise<void> {
  const file = readPostmasterFile(dataDirectory);
  const isStale = file && isAlive(file.pid) && !runningPostmaster(dataDirectory);
  if (isStale) await rm(path.join(dataDirectory, 'postmaster.pid'), { force: true });
}

/**
 * Whether a live process owns the running server. Without one the server is an orphan, and is
 * stopped, so that the next turn starts it with an owner.
 */
async function isServed(running: PostmasterFile, files: Files): Promise<boolean> {
  if (!running.isReady) return false;
  // Its owner writes the state as soon as the server is ready.
  const until = Date.now() + 2_000;
  do {
    if (hasLiveOwner(running, files)) return true;
    if (readServerState(files.stateFile)?.pid === running.pid) break;
    await sleep(POLL_MS);
  } while (Date.now() < until);
  await stopOrphan(running.pid);
  return false;
}

function hasLiveOwner(running: PostmasterFile, { stateFile }: Files): boolean {
  const state = readServerState(stateFile);
  return state?.pid === running.pid && isRunning(state.ownerPid);
}

/** A server that is just stopping refuses connections: that is worth another turn; a file that cannot be read is not. */
function unlessHopeless(error: unknown): undefined {
  if (error instanceof EmbeddedPostgresError) throw error;
}

async function openDatabase(
  dataDirectory: string,
  port: number,
  database: string,
): Promise<string> {
  const password = await superuserPassword(dataDirectory);
  const url = (name: string): string =>
    `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${name}`;
  const client = new Client({ connectionString: url('postgres'), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      database,
    ]);
    if (rowCount === 0) {
      await client
        .query(`CREATE DATABASE ${client.escapeIdentifier(database)}`)
        .catch((error: unknown) => {
          if ((error as { code?: string }).code !== '42P04') throw error; // made by another at this moment
        });
    }
  } finally {
    await client.end();
  }
  return url(encodeURIComponent(database));
}
