import { DataSource, type DataSourceOptions } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../config/settings.js';
import type { ByPrincipalType } from '../kernel/principal.js';
import type { CancellableClient } from './cancel-statement.js';
import { CONNECTION_OPTIONS } from './data-source.js';
import { ENTITIES } from './entities.js';
import { readingUrl } from './reading-urls.js';
import { textTimes } from './row-types.js';
import { ServerLost } from './server-lost.js';

/** Names of the data sources of the service, for `@InjectDataSource` and `@InjectRepository`; all only read. */
export const SESSION_READS = 'deal-sets session reads';
export const ASSISTANT_READS = 'deal-sets assistant reads';
export const SIGN_IN_READS = 'deal-sets sign-in';
export type ReadingSourceName =
  typeof SESSION_READS | typeof ASSISTANT_READS | typeof SIGN_IN_READS;

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
export function readingOptions(
  name: ReadingSourceName,
  serverUrl: string | undefined,
  settings: DatabaseOptions,
): DataSourceOptions {
  return {
    type: 'postgres',
    url: readingUrl(serverUrl, name === ASSISTANT_READS ? 'assistant' : 'session', settings),
    applicationName: name,
    poolSize: name === SIGN_IN_READS ? SIGN_IN_CONNECTIONS : settings.poolSize,
    connectTimeoutMS: WAIT_LIMIT_MS,
    entities: ENTITIES,
    synchronize: false,
    installExtensions: false,
    // A driver's message may hold values.
    logging: false,
    poolErrorHandler: () => undefined,
    extra: {
      types: textTimes(),
      // Kept: a connection costs a server process to make, and plans are kept with it.
      idleTimeoutMillis: 0,
      ...CONNECTION_OPTIONS,
    },
  };
}

/**
 * A data source that connects in the background, so that the service starts while the database is down. Until it is
 * connected, its repositories reject as a lost connection does.
 */
export class ReadingSource extends DataSource {
  readonly #stop = new AbortController();
  #failure: unknown;

  /** Knows its entities at once: repositories are made before there is a connection. */
  static async create(options: DataSourceOptions): Promise<ReadingSource> {
    const source = new ReadingSource(options);
    await source.buildMetadatas();
    return source;
  }

  /** Connects, again and again until it is closed. @returns when the first attempt is over. */
  open(): Promise<void> {
    const first = this.#connect();
    void first.then(() => this.#retry());
    return first;
  }

  /** Gives up connecting, and ends every connection; those in use when they are given back. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.isInitialized) await this.destroy();
  }

  /** A client of the pool; `release(true)` ends its connection. @throws {ServerLost} before the first connection. */
  async obtainClient(): Promise<
    [client: CancellableClient, release: (isBroken?: boolean) => void]
  > {
    this.#assertConnected();
    const obtained = await (this.driver as PostgresDriver).obtainMasterConnection();
    return obtained as [CancellableClient, (isBroken?: boolean) => void];
  }

  override createQueryRunner(
    ...mode: Parameters<DataSource['createQueryRunner']>
  ): ReturnType<DataSource['createQueryRunner']> {
    this.#assertConnected();
    return super.createQueryRunner(...mode);
  }

  /** How full the pool is. */
  get poolState(): { readonly total: number; readonly idle: number } {
    const pool = (this.driver as PostgresDriver).master as
      { readonly totalCount: number; readonly idleCount: number } | undefined;
    return { total: pool?.totalCount ?? 0, idle: pool?.idleCount ?? 0 };
  }

  #assertConnected(): void {
    if (!this.isInitialized) throw new ServerLost(this.#failure);
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
    while (!this.isInitialized) {
      try {
        await sleep(RETRY_MS, undefined, { signal: this.#stop.signal, ref: false });
      } catch {
        return;
      }
      await this.#connect();
    }
  }
}

/** The data sources of the replica; undefined where there is none. */
export async function replicaSources(
  settings: DatabaseOptions,
): Promise<ByPrincipalType<ReadingSource> | undefined> {
  const { replicaUrl } = settings;
  if (replicaUrl === undefined) return undefined;
  const [session, assistant] = await Promise.all([
    ReadingSource.create(readingOptions(SESSION_READS, replicaUrl, settings)),
    ReadingSource.create(readingOptions(ASSISTANT_READS, replicaUrl, settings)),
  ]);
  return { session, assistant };
}
