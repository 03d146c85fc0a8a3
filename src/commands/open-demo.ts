import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { assertPortFree } from './assert-port-free.js';
import { openMigratedDatabase } from './open-database.js';
import type { Settings } from '../config/settings.js';
import { importFile } from '../import/import-file.js';
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
    await loadDemoWorld(database.url, cookieValue);
    return {
      settings: database.settings,
      cookieValue,
      isShared: database.isShared,
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function loadDemoWorld(databaseUrl: string, cookieValue: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const records = demoWorld(Date.now(), cookieValue);
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await importFile(client, inOnePiece(text), { isBackfill: true });
    // Each start adds a session; those of earlier days are over.
    await client.query(
      'DELETE FROM buyer_session WHERE buyer_id = $1 AND expires_at < clock_timestamp()',
      [DEMO_BUYER_ID],
    );
  } finally {
    await client.end();
  }
}

async function* inOnePiece(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}
