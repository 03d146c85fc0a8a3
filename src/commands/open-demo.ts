import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { assertPortFree } from './assert-port-free.js';
import { openMigratedDatabase } from './open-database.js';
import type { Settings } from '../config/settings.js';
import { importFile } from '../import/import-file.js';
import type { ImportRecord } from '../import/records/record-kinds.js';
import { DEMO_BUYER_ID } from '../demo/demo-people.js';
import { demoWorld } from '../demo/demo-world.js';

/** The demo world in its database, ready to be served. */
export interface OpenDemo {
  /** The settings with the database's address in them. */
  readonly settings: Settings;
  /** Value of a session cookie with which the demo buyer is signed in for a day. */
  readonly cookieValue: string;
  /** The embedded PostgreSQL of another process in this folder, with which it stops. */
  readonly isShared: boolean;
  /** The demo world, as it was loaded. */
  readonly records: readonly ImportRecord[];
  /** Imports records as a supplier does whose changes clients that poll see. */
  load(records: readonly ImportRecord[]): Promise<void>;
  /** Stops the embedded PostgreSQL when this process started it. */
  close(): Promise<void>;
}

/**
 * Opens the configured or the embedded database and loads the demo world into it; what a demo before left
 * there stays.
 *
 * @throws the system's error when the port is taken, before anything is opened.
 */
export async function openDemo(settings: Settings): Promise<OpenDemo> {
  await assertPortFree(settings.host, settings.port);
  const database = await openMigratedDatabase(settings);
  try {
    const cookieValue = randomBytes(32).toString('base64url');
    const records = demoWorld(Date.now(), cookieValue);
    await withDatabase(database.url, (client) => loadDemoWorld(client, records));
    return {
      settings: database.settings,
      cookieValue,
      isShared: database.isShared,
      records,
      load: (more) => withDatabase(database.url, (client) => importRecords(client, more, false)),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
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
  await importFile(client, inOnePiece(text), { isBackfill });
}

async function* inOnePiece(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}
