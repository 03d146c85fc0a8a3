import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import type { Pool } from 'pg';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../config/settings.js';
import type { ByPrincipalType, PrincipalType } from '../kernel/principal.js';
import type { TimeLimits } from '../kernel/time-limits.js';
import type { CancellableClient } from './cancel-statement.js';
import { POOL_OPTIONS, SOURCE_OPTIONS } from './data-source.js';
import { codedFailure, ConnectionLostError } from './driver-errors.js';
import { textTimes } from './row-types.js';
import { READING_SETTINGS } from './session-settings.js';
import { addressOptions, type DatabaseAddress } from './address-options.js';

/**
 * The name of the read-only data source for the buyer's session. Pass it to `@InjectDataSource` or
 * `@InjectRepository`.
 */
export const SESSION_READS = 'deal-sets session reads';
/**
 * The name of the read-only data source for assistants. Its database role cannot select withheld
 * columns.
 */
export const ASSISTANT_READS = 'deal-sets assistant reads';
/** The name of the read-only data source for sign-in: sessions, grants and health. */
export const SIGN_IN_READS = 'deal-sets sign-in';
/** The names of all data sources of the service. */
export const READ_DATA_SOURCES = [SESSION_READS, ASSISTANT_READS, SIGN_IN_READS] as const;
/** The name of a data source of the service. */
export type ReadDataSourceName = (typeof READ_DATA_SOURCES)[number];

/** The database role of each principal type, as the migrations create them. */
export const READING_ROLES: ByPrincipalType<string> = {
  session: 'deal_sets_reader',
  assistant: 'deal_sets_assistant',
};

const RETRY_MS = 500;
/**
 * Look-ups by key are short, so the pool is small. It has more than one connection so that an
 * unresponsive one does not block all look-ups.
 */
const SIGN_IN_CONNECTIONS = 4;

/**
 * Builds the options of a data source that reads.
 *
 * @param name shown in `pg_stat_activity`.
 * @param serverUrl the address of the primary or of a replica; undefined if the reading logins have
 *   addresses.
 */
export function readOptions(
  name: ReadDataSourceName,
  serverUrl: string | undefined,
  settings: DatabaseOptions,
  limits: TimeLimits,
): DataSourceOptions {
  const type = name === ASSISTANT_READS ? 'assistant' : 'session';
  const address = readingAddress(serverUrl, type, settings);
  return {
    ...SOURCE_OPTIONS,
    url: address.url,
    applicationName: name,
    poolSize: name === SIGN_IN_READS ? SIGN_IN_CONNECTIONS : settings.poolSize,
    connectTimeoutMS: limits.databaseConnectionMs,
    // Idle connections are kept: opening one starts a server process, and plans are kept per
    // connection.
    extra: {
      types: textTimes,
      // Statements that are sent together take one round trip.
      pipeline: true,
      idleTimeoutMillis: 0,
      ...POOL_OPTIONS,
      ...addressOptions(address),
    },
  };
}

/**
 * Builds the address for a principal type's reads. If there are no reading logins, the login in the
 * address switches to the role through startup options, which cost no round trip. If there are
 * reading logins, no options are sent, because poolers reject them; the operations guide sets the
 * same values with `ALTER ROLE`.
 *
 * @throws {Error} when there is no address. `DatabaseModule` has already checked this, with a
 *   message that names the setting.
 */
function readingAddress(
  serverUrl: string | undefined,
  type: PrincipalType,
  options: DatabaseOptions,
): DatabaseAddress {
  const isPrimary = serverUrl === options.url;
  const [login, loginPasswordFile] = {
    session: [options.readerUrl, options.readerPasswordFile],
    assistant: [options.assistantUrl, options.assistantPasswordFile],
  }[type];
  if (login !== undefined && isPrimary) return { url: login, passwordFile: loginPasswordFile };
  if (serverUrl === undefined) throw new Error('the database has no address');
  const url = new URL(serverUrl);
  if (login === undefined) {
    const urlOptions = url.searchParams.get('options');
    const settings = Object.entries({ role: READING_ROLES[type], ...READING_SETTINGS });
    const sessionOptions = settings.map(([setting, value]) => `-c ${setting}=${value}`);
    // The service's settings come last, because the last value of a repeated setting wins.
    url.searchParams.set(
      'options',
      [...(urlOptions ? [urlOptions] : []), ...sessionOptions].join(' '),
    );
  } else {
    // Both roles use the same replica address, so the role's login replaces the login in it.
    const { username, password } = new URL(login);
    Object.assign(url, { username, password });
    return { url: url.href, passwordFile: loginPasswordFile };
  }
  return {
    url: url.href,
    passwordFile: isPrimary ? options.passwordFile : options.replicaPasswordFile,
  };
}

/** The state of a connection pool. */
export interface PoolState {
  /** Open connections, in use or idle. */
  readonly total: number;
  /** Open connections that no read uses. */
  readonly idle: number;
  /** Reads that wait for a connection. */
  readonly waiting: number;
}

/**
 * A data source of TypeORM and not only a pool of the driver, because host applications inject its
 * repositories. It connects in the background, so that the service starts while the database is
 * down. Until it is connected, its repositories fail as they do after a lost connection.
 */
export class ReadDataSource extends DataSource {
  readonly #stop = new AbortController();
  #failure: unknown;

  /**
   * Creates the data source with its entities' metadata, because repositories are built before
   * there is a connection.
   */
  static async create(options: DataSourceOptions): Promise<ReadDataSource> {
    const source = new ReadDataSource(options);
    await source.buildMetadatas();
    return source;
  }

  /**
   * Connects, and retries in the background until it succeeds or the data source is closed.
   *
   * @returns a promise that resolves when the first attempt has ended.
   */
  async open(): Promise<void> {
    await this.#connect();
    void this.#retry();
  }

  /** Stops connecting and ends every connection; those in use end when they are released. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.isInitialized) await this.destroy();
  }

  /**
   * Takes a client from the pool; `release(true)` ends its connection.
   *
   * @throws {ConnectionLostError} when the data source has not connected yet.
   */
  async obtainClient(): Promise<[CancellableClient, release: (isBroken?: boolean) => void]> {
    this.#assertConnected();
    const obtained = await (this.driver as PostgresDriver).obtainMasterConnection();
    return obtained as [CancellableClient, (isBroken?: boolean) => void];
  }

  /**
   * Creates a query runner that rejects `stream()`, because the driver cannot read a result in
   * parts in pipeline mode.
   */
  override createQueryRunner(mode?: 'master' | 'slave'): QueryRunner {
    this.#assertConnected();
    const runner = super.createQueryRunner(mode);
    runner.stream = () => Promise.reject(new Error(this.#streamAdvice));
    return runner;
  }

  get poolState(): PoolState {
    const pool = (this.driver as PostgresDriver).master as Pool | undefined;
    const { totalCount: total = 0, idleCount: idle = 0, waitingCount: waiting = 0 } = pool ?? {};
    return { total, idle, waiting };
  }

  get #streamAdvice(): string {
    const name = String((this.options as PostgresDataSourceOptions).applicationName);
    return `stream() does not work on "${name}": read in pages, or stream from a data source of your own`;
  }

  #assertConnected(): void {
    if (!this.isInitialized) throw new ConnectionLostError(this.#failure);
  }

  async #connect(): Promise<void> {
    try {
      await this.initialize();
      if (this.#stop.signal.aborted) await this.destroy();
    } catch (error) {
      this.#failure = codedFailure(error);
      // Closes a connection that was opened before the attempt failed.
      await this.driver.disconnect().catch(() => undefined);
    }
  }

  async #retry(): Promise<void> {
    const pause = { signal: this.#stop.signal, ref: false };
    while (!this.isInitialized) {
      const isOpen = await sleep(RETRY_MS, true, pause).catch(() => false);
      if (!isOpen) return;
      await this.#connect();
    }
  }
}
