import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '@deal-sets/embedded-postgres';
import { migrate, writerDataSource } from 'deal-sets/operations';

/** An embedded PostgreSQL of a test's own, with the service's tables. */
export class TestDatabase {
  readonly #server: EmbeddedPostgres;
  readonly #directory: string;

  private constructor(server: EmbeddedPostgres, directory: string) {
    this.#server = server;
    this.#directory = directory;
  }

  static async start(): Promise<TestDatabase> {
    const directory = mkdtempSync(path.join(tmpdir(), 'deal-sets-test-'));
    // Started by root, PostgreSQL runs as another account, which must be able to enter.
    chmodSync(directory, 0o755);
    const server = await EmbeddedPostgres.attachOrStart({ directory, isThrowAway: true });
    const database = new TestDatabase(server, directory);
    try {
      const dataSource = await writerDataSource({ url: server.url, poolSize: 1 }).initialize();
      try {
        await migrate(dataSource);
      } finally {
        await dataSource.destroy();
      }
    } catch (error) {
      await database.stop();
      throw error;
    }
    return database;
  }

  /** Address as the owner of the tables. */
  get url(): string {
    return this.#server.url;
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
