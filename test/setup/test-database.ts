import { randomBytes } from 'node:crypto';
import { Client, type QueryResultRow } from 'pg';
import { ADMIN_URL, TEMPLATE_DATABASE } from './test-cluster.js';

/** The own database of a test file, with the real schema, on the run's PostgreSQL. */
export interface TestDatabase {
  /** The address, as its owner, a superuser. */
  readonly url: string;
  readonly name: string;
  /** A connection as the owner, for everything that the tests prepare and inspect. */
  readonly client: Client;
  /** The settings that the service needs on this kind of database. */
  readonly env?: Readonly<Record<string, string>>;
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Whether the database has no tables. Default: false, a copy of the migrated template. */
  readonly isEmpty?: boolean;
}

/** Address of the run's cluster, as its superuser. */
export function adminUrl(): string {
  const url = process.env[ADMIN_URL];
  if (!url)
    throw new Error('no test cluster: the Jest project must name test/setup/global-setup.ts');
  return url;
}

/** Creates a database, which takes some ten milliseconds. The caller drops it. */
export async function createTestDatabase({
  isEmpty = false,
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${isEmpty ? 'template0' : TEMPLATE_DATABASE}`);
  const url = Object.assign(new URL(adminUrl()), { pathname: `/${name}` }).href;
  return openTestDatabase(url, () => asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

/**
 * Connects to a database that the caller created. `remove` drops it once the connection is closed.
 */
export async function openTestDatabase(
  url: string,
  remove: () => Promise<void>,
): Promise<TestDatabase> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  // Each statement waits for the one before it, because the driver's own queue is deprecated.
  let previous: Promise<unknown> = Promise.resolve();
  return {
    url,
    name: new URL(url).pathname.slice(1),
    client,
    async query<Row extends QueryResultRow>(
      text: string,
      values: readonly unknown[] = [],
    ): Promise<Row[]> {
      const result = previous.then(() => client.query<Row>(text, [...values]));
      previous = result.catch(() => undefined);
      return (await result).rows;
    },
    async drop() {
      await client.end();
      await remove();
    },
  };
}

async function asAdmin(sql: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl() });
  await admin.connect();
  try {
    // Two simultaneous copies of the template would conflict.
    await admin.query('SELECT pg_advisory_lock(1)');
    await admin.query(sql);
  } finally {
    await admin.end();
  }
}
