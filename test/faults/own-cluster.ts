import { chmodSync, rmSync } from 'node:fs';
import { Client, type QueryResultRow } from 'pg';
import { writerDataSource } from '../../src/database/data-source.js';
import { EmbeddedPostgres } from '../../packages/embedded-postgres/src/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { temporaryDirectory } from '../setup/test-cluster.js';
import type { TestDatabase } from '../setup/test-database.js';

/** A PostgreSQL of a test's own, which may be stopped and started again. */
export class OwnCluster {
  readonly #directory = temporaryDirectory('own-cluster');
  #server: EmbeddedPostgres | undefined;
  /** Its migrated database, for as long as it runs; its address changes with every start. */
  readonly database: TestDatabase;

  private constructor() {
    chmodSync(this.#directory, 0o755);
    const url = (): string => this.url;
    this.database = {
      get url() {
        return url();
      },
      name: 'deal_sets',
      get client(): Client {
        throw new Error('a connection would not outlive a restart');
      },
      query: (text, values) => this.#query(text, values),
      drop: () => this.remove(),
    };
  }

  static async start(): Promise<OwnCluster> {
    const cluster = new OwnCluster();
    await cluster.start();
    await cluster.migrate();
    return cluster;
  }

  async migrate(): Promise<void> {
    const dataSource = await writerDataSource({ url: this.url }).initialize();
    await migrate(dataSource);
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
