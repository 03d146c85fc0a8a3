import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import type { Pool } from 'pg';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../config/settings.js';
import type { ByPrincipalType, PrincipalType } from '../kernel/principal.js';
import type { CancellableClient } from './cancel-statement.js';
import { POOL_OPTIONS, SOURCE_OPTIONS, textTimes } from './data-source.js';
import { ConnectionLostError } from './connection-lost-error.js';

/** Names of the data sources of the service, for `@InjectDataSource` and `@InjectRepository`; all only read. */
export const SESSION_READS = 'deal-sets session reads';
export const ASSISTANT_READS = 'deal-sets assistant reads';
export const SIGN_IN_READS = 'deal-sets sign-in';
export const READ_DATA_SOURCES = [SESSION_READS, ASSISTANT_READS, SIGN_IN_READS] as const;
export type ReadDataSourceName = (typeof READ_DATA_SOURCES)[number];

/** The database role of each principal type, as the migrations make them. */
export const READING_ROLES: ByPrincipalType<string> = {
  session: 'deal_sets_reader',
  assistant: 'deal_sets_assistant',
};

/** Of each reading session: a role's own settings apply neither after a switch to it nor to a login of it. */
const SESSION_SETTINGS = [
  'default_transaction_read_only=on',
  'statement_timeout=8000',
  'idle_in_transaction_session_timeout=10000',
  'timezone=UTC',
  'datestyle=ISO',
  // Every read is of one buyer by index: one plan serves all, and planning costs more than the read.
  'plan_cache_mode=force_generic_plan',
];

/** Longest wait for a connection, free or new. */
const WAIT_LIMIT_MS = 2_000;
const RETRY_MS = 500;
/** Look-ups by key are short; more than one, so that a connection that went silent does not hold up all of them. */
const SIGN_IN_CONNECTIONS = 4;

/**
 * The options of a data source that reads. Its name is shown in `pg_stat_activity`.
 *
 * @param serverUrl the primary's address, or a replica's; undefined where the reading logins have addresses.
 */
export function readOptions(
  name: ReadDataSourceName,
  serverUrl: string | undefined,
  settings: DatabaseOptions,
): DataSourceOptions {
  return {
    ...SOURCE_OPTIONS,
    url: readingUrl(serverUrl, name === ASSISTANT_READS ? 'assistant' : 'session', settings),
    applicationName: name,
    poolSize: name === SIGN_IN_READS ? SIGN_IN_CONNECTIONS : settings.poolSize,
    connectTimeoutMS: WAIT_LIMIT_MS,
    // Idle ones are kept: a connection costs a server process to make, and plans are kept with it.
    extra: { types: textTimes, idleTimeoutMillis: 0, ...POOL_OPTIONS },
  };
}

/**
 * Where a principal type's reads connect. Without logins for reading, the login of the address switches to the role by
 * start-up options, which cost no round trip. With such logins nothing is sent, because poolers refuse options; the
 * operations guide sets the same with `ALTER ROLE`.
 *
 * @throws {Error} when there is no address; only a start that forgot the embedded database does.
 */
function readingUrl(
  serverUrl: string | undefined,
  type: PrincipalType,
  { url: primaryUrl, readerUrl, assistantUrl }: DatabaseOptions,
): string {
  const login = { session: readerUrl, assistant: assistantUrl }[type];
  if (login !== undefined && serverUrl === primaryUrl) return login;
  if (serverUrl === undefined) throw new Error('the database has no address: set DATABASE_URL');
  const url = new URL(serverUrl);
  if (login === undefined) {
    const given = url.searchParams.get('options');
    const ours = [`role=${READING_ROLES[type]}`, ...SESSION_SETTINGS].map((each) => `-c ${each}`);
    // Ours last: of two values for one setting the later holds.
    url.searchParams.set('options', [...(given ? [given] : []), ...ours].join(' '));
  } else {
    // One address of a replica serves both roles, so its own login cannot be theirs.
    const { username, password } = new URL(login);
    Object.assign(url, { username, password });
  }
  return url.href;
}

/** The connections of a pool, and the reads that wait for one. */
export type PoolState = Readonly<Record<'total' | 'idle' | 'waiting', number>>;

/**
 * A data source that connects in the background, so that the service starts while the database is down. Until it is
 * connected, its repositories reject as a lost connection does.
 */
export class ReadDataSource extends DataSource {
  readonly #stop = new AbortController();
  #failure: unknown;

  /** Knows its entities at once: repositories are made before there is a connection. */
  static async create(options: DataSourceOptions): Promise<ReadDataSource> {
    const source = new ReadDataSource(options);
    await source.buildMetadatas();
    return source;
  }

  /** Connects, again and again until it is closed. @returns when the first attempt is over. */
  async open(): Promise<void> {
    await this.#connect();
    void this.#retry();
  }

  /** Gives up connecting, and ends every connection; those in use when they are given back. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.isInitialized) await this.destroy();
  }

  /** A client of the pool; `release(true)` ends its connection. @throws {ConnectionLostError} before the first connection. */
  async obtainClient(): Promise<[CancellableClient, release: (isBroken?: boolean) => void]> {
    this.#assertConnected();
    const obtained = await (this.driver as PostgresDriver).obtainMasterConnection();
    return obtained as [CancellableClient, (isBroken?: boolean) => void];
  }

  override createQueryRunner(mode?: 'master' | 'slave'): QueryRunner {
    this.#assertConnected();
    return super.createQueryRunner(mode);
  }

  get poolState(): PoolState {
    const pool = (this.driver as PostgresDriver).master as Pool | undefined;
    const { totalCount: total = 0, idleCount: idle = 0, waitingCount: waiting = 0 } = pool ?? {};
    return { total, idle, waiting };
  }

  #assertConnected(): void {
    if (!this.isInitialized) throw new ConnectionLostError(this.#failure);
  }

  async #connect(): Promise<void> {
    try {
      await this.initialize();
      if (this.#stop.signal.aborted) await this.destroy();
    } catch (error) {
      this.#failure = error;
      // A connection that was made before the attempt failed.
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
