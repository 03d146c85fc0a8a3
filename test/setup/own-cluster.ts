import 'reflect-metadata';
import { chmodSync, rmSync } from 'node:fs';
import { Client, type QueryResultRow } from 'pg';
import { writerDataSource } from '../../src/database/data-source.js';
import {
  EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../packages/embedded-postgres/src/embedded-postgres.js';
import { migrate } from '../../src/operations/migrate.js';
import { plantInDatabase } from './planted-fault.js';
import { temporaryDirectory } from './test-cluster.js';
import type { TestDatabase } from './test-database.js';

/**
 * A temporary PostgreSQL with a migrated database, which can be stopped and started again. It ends
 * with this process, even when that is killed.
 */
export class OwnCluster {
  readonly #directory = temporaryDirectory('cluster');
  #server: EmbeddedPostgres | undefined;
  /** Its database while it runs; the address changes with every start. */
  readonly database: TestDatabase;

  private constructor(
    private readonly options: Pick<EmbeddedPostgresOptions, 'database' | 'settings'>,
  ) {
    chmodSync(this.#directory, 0o755);
    const url = (): string => this.url;
    this.database = {
      get url() {
        return url();
      },
      name: options.database ?? 'deal_sets',
      get client(): Client {
        throw new Error('a connection would not outlive a restart');
      },
      query: (text, values) => this.#query(text, values),
      drop: () => this.remove(),
    };
  }

  static async start(
    options: Pick<EmbeddedPostgresOptions, 'database' | 'settings'> = {},
  ): Promise<OwnCluster> {
    const cluster = new OwnCluster(options);
    try {
      await cluster.start();
      await cluster.migrate({ plantsFault: true });
    } catch (error) {
      await cluster.remove();
      throw error;
    }
    return cluster;
  }

  /** @param options.url of a database on the cluster; default: its own. */
  async migrate({ url = this.url, plantsFault = false } = {}): Promise<void> {
    const dataSource = await writerDataSource({ url }).initialize();
    await migrate(dataSource);
    if (plantsFault) await plantInDatabase(dataSource);
    await dataSource.destroy();
  }

  get url(): string {
    if (!this.#server) throw new Error('the cluster is stopped');
    return this.#server.url;
  }

  get dataDirectory(): string {
    return this.#server?.dataDirectory ?? '';
  }

  async start(): Promise<void> {
    this.#server = await EmbeddedPostgres.attachOrStart({
      ...this.options,
      directory: this.#directory,
      isThrowAway: true,
    });
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #query<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }
}
