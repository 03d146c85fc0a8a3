import { randomBytes } from 'node:crypto';
import {
  importFile,
  migrate,
  writerDataSource,
  type ImportRecord,
} from '@deal-sets/service/operations';
import { Client } from 'pg';
import { DEMO_BUYER_ID } from './demo-world/demo-people.js';
import { demoWorld } from './demo-world/demo-world.js';

/** The demo world in its database, ready to be served. */
export class DemoWorld {
  private constructor(
    private readonly databaseUrl: string,
    /** Value of a session cookie with which the demo buyer is signed in for a day. */
    readonly cookieValue: string,
    /** As they were loaded at the start. */
    readonly records: readonly ImportRecord[],
  ) {}

  /** Migrates the database and loads the demo world into it; what a demo before left there stays. */
  static async open(databaseUrl: string): Promise<DemoWorld> {
    const dataSource = await writerDataSource({ url: databaseUrl, poolSize: 1 }).initialize();
    await migrate(dataSource).finally(() => dataSource.destroy());
    const cookieValue = randomBytes(32).toString('base64url');
    const records = demoWorld(Date.now(), cookieValue);
    await withDatabase(databaseUrl, (client) => loadDemoWorld(client, records));
    return new DemoWorld(databaseUrl, cookieValue, records);
  }

  /** Imports records as a supplier does whose changes clients that poll see. */
  load(records: readonly ImportRecord[]): Promise<void> {
    return withDatabase(this.databaseUrl, (client) => importRecords(client, records, false));
  }
}

async function withDatabase(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  await work(client).finally(() => client.end());
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
  const fitting = records.filter((record) => !isApproved(record));
  await importRecords(client, fitting, true);
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
