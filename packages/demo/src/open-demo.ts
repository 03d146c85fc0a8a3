import { randomBytes } from 'node:crypto';
import { importFile, migrate, writerDataSource, type ImportRecord } from 'deal-sets/operations';
import { Client } from 'pg';
import { DEMO_BUYER_ID } from './demo-world/demo-people.js';
import { demoWorld } from './demo-world/demo-world.js';

/** The demo world in its database, ready to be served. */
export interface OpenDemo {
  /** Value of a session cookie with which the demo buyer is signed in for a day. */
  readonly cookieValue: string;
  /** The demo world, as it was loaded. */
  readonly records: readonly ImportRecord[];
  /** Imports records as a supplier does whose changes clients that poll see. */
  load(records: readonly ImportRecord[]): Promise<void>;
}

/** Migrates the database and loads the demo world into it; what a demo before left there stays. */
export async function openDemo(databaseUrl: string): Promise<OpenDemo> {
  const dataSource = await writerDataSource({ url: databaseUrl, poolSize: 1 }).initialize();
  await migrate(dataSource).finally(() => dataSource.destroy());
  const cookieValue = randomBytes(32).toString('base64url');
  const records = demoWorld(Date.now(), cookieValue);
  await withDatabase(databaseUrl, (client) => loadDemoWorld(client, records));
  return {
    cookieValue,
    records,
    load: (more) => withDatabase(databaseUrl, (client) => importRecords(client, more, false)),
  };
}
async function withDatabase(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function loadDemoWorld(client: Client, records: readonly ImportRecord[]): Promise<void> {
  // An assistant that she approved again in an earlier demo has a grant of its own.
  const { rows } = await client.query<{ id: string; client_id: string }>(
    'SELECT id, client_id FROM assistant_grant WHERE buyer_id = $1 AND revoked_at IS NULL',
    [DEMO_BUYER_ID],
  );
  const isApproved = (record: ImportRecord): boolean =>
    record.record === 'grant' &&
    !record.revokedAt &&
    rows.some(({ id, client_id: clientId }) => clientId === record.clientId && id !== record.id);
  await importRecords(
    client,
    records.filter((record) => !isApproved(record)),
    true,
  );
  // Each start adds a session; those of earlier days are over.
  await client.query(
    'DELETE FROM buyer_session WHERE buyer_id = $1 AND expires_at < clock_timestamp()',
    [DEMO_BUYER_ID],
  );
}

async function importRecords(
  client: Client,
  records: readonly ImportRecord[],
  isBackfill: boolean,
): Promise<void> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  await importFile(client, [Buffer.from(text)], { isBackfill });
}
