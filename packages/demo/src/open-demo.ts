import { randomBytes, randomUUID } from 'node:crypto';
import {
  EarlierVersionError,
  importFile,
  ImportRejectedError,
  migrate,
  writerDataSource,
  type ImportRecord,
} from '@deal-sets/service/operations';
import { Client } from 'pg';
import { DEMO_BUYER_ID } from './demo-world/demo-people.js';
import { demoWorld } from './demo-world/demo-world.js';

/**
 * The demo world in its database, ready to be served. An imported record replaces the stored one
 * entirely, so this class keeps the records as they were loaded last.
 */
export class DemoWorld {
  readonly #current: Map<string, ImportRecord>;

  private constructor(
    private readonly databaseUrl: string,
    /** The value of a session cookie that signs the demo buyer in for a day. */
    readonly cookieValue: string,
    /** The demo world's records as first loaded. */
    private readonly original: readonly ImportRecord[],
  ) {
    this.#current = new Map(original.map((record) => [record.id, record]));
  }

  /**
   * Migrates the database and loads the demo world into it. Other records that an earlier demo left
   * there stay, unless the tables belong to an earlier version, which cannot be migrated.
   *
   * @param onStep called before the tables of an earlier version are made again.
   */
  static async open(databaseUrl: string, onStep?: (step: string) => void): Promise<DemoWorld> {
    await migrateDatabase(databaseUrl).catch(async (error: unknown) => {
      if (!(error instanceof EarlierVersionError)) throw error;
      onStep?.('The database in .data belongs to an earlier version: making it again…');
      await withDatabase(databaseUrl, removeTables);
      await migrateDatabase(databaseUrl);
    });
    const cookieValue = randomBytes(32).toString('base64url');
    const records = demoWorld(Date.now(), cookieValue);
    await withDatabase(databaseUrl, (client) => loadAtStart(client, records));
    return new DemoWorld(databaseUrl, cookieValue, records);
  }

  /** The most recently loaded version of each record. */
  get records(): readonly ImportRecord[] {
    return [...this.#current.values()];
  }

  /** Imports records in the way a supplier of data does, so that polls deliver the changes. */
  async load(records: readonly ImportRecord[]): Promise<void> {
    await withDatabase(this.databaseUrl, (client) => importRecords(client, records));
    for (const record of records) this.#current.set(record.id, record);
  }

  /** Restores a buyer whom `deal-sets erase` removed from the demo's database. */
  async restoreIfMissing(buyerId: string): Promise<void> {
    await withDatabase(this.databaseUrl, async (client) => {
      const { rowCount } = await client.query('SELECT FROM deal_sets.buyer WHERE id = $1', [
        buyerId,
      ]);
      if (rowCount === 0) await this.#reset(client, buyerId);
    });
  }

  /**
   * Resets a buyer's requests and approvals to their state at the start of the demo, whatever the
   * database contains. Questions that were added since then are marked as answered.
   */
  async startOver(buyerId: string): Promise<void> {
    await withDatabase(this.databaseUrl, (client) => this.#reset(client, buyerId));
  }

  async #reset(client: Client, buyerId: string): Promise<void> {
    const now = new Date().toISOString();
    const original = recordsOf(buyerId, this.original);
    const originalIds = new Set(original.map(({ id }) => id));
    const added = recordsOf(buyerId, this.records).flatMap((record) =>
      record.record === 'question' && !originalIds.has(record.id)
        ? [{ ...record, answeredAt: now }]
        : [],
    );
    const { rowCount: isStored } = await client.query('SELECT FROM deal_sets.buyer WHERE id = $1', [
      buyerId,
    ]);
    const live = await liveGrants(client, buyerId);
    const records = [...original, ...(isStored ? added : [])].flatMap((record) => {
      if (record.record !== 'grant' || record.revokedAt) return [record];
      // The database rejects a second live approval of one assistant. A revoked approval stays
      // revoked, so a new one replaces it.
      return live.has(record.clientId) ? [] : [{ ...record, id: randomUUID(), grantedAt: now }];
    });
    await importWhatever(client, records);
    for (const record of records) this.#current.set(record.id, record);
  }
}

/** Returns a buyer's records, and all dealerships, because the records refer to them. */
function recordsOf(buyerId: string, records: readonly ImportRecord[]): ImportRecord[] {
  const priceChecks = new Set(
    records.flatMap((record) =>
      record.record === 'priceCheck' && record.buyerId === buyerId ? [record.id] : [],
    ),
  );
  return records.filter((record) => {
    if ('buyerId' in record) return record.buyerId === buyerId;
    if ('priceCheckId' in record) return priceChecks.has(record.priceCheckId);
    return record.record === 'dealership' || record.id === buyerId;
  });
}

async function migrateDatabase(url: string): Promise<void> {
  const dataSource = await writerDataSource({ url, poolSize: 1 }).initialize();
  await migrate(dataSource).finally(() => dataSource.destroy());
}

/** Removes the tables from both schemas that a version has used. */
async function removeTables(client: Client): Promise<void> {
  await client.query('DROP SCHEMA IF EXISTS deal_sets CASCADE');
  await client.query('DROP SCHEMA public CASCADE');
  await client.query('CREATE SCHEMA public');
}

async function withDatabase(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  await work(client).finally(() => client.end());
}

async function loadAtStart(client: Client, records: readonly ImportRecord[]): Promise<void> {
  // If an assistant was approved again in an earlier demo, its live grant has another id. Skip the
  // record then, because an assistant can have only one live grant.
  const live = await liveGrants(client, DEMO_BUYER_ID);
  const fitting = records.filter(
    (record) =>
      record.record !== 'grant' ||
      record.revokedAt ||
      [undefined, record.id].includes(live.get(record.clientId)),
  );
  await importWhatever(client, fitting, true);
  // Each start adds a session. Delete those that have expired.
  await client.query(
    'DELETE FROM deal_sets.buyer_session WHERE buyer_id = $1 AND expires_at < clock_timestamp()',
    [DEMO_BUYER_ID],
  );
}

/** Returns the ids of a buyer's approvals that are neither revoked nor expired, by client id. */
async function liveGrants(client: Client, buyerId: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ id: string; client_id: string }>(
    `SELECT id, client_id FROM deal_sets.assistant_grant
     WHERE buyer_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [buyerId],
  );
  return new Map(rows.map(({ id, client_id: clientId }) => [clientId, id]));
}

/**
 * Imports records. If the import is rejected, for example because an id now belongs to another
 * buyer, the function deletes the stored grants, price checks and deal sets with these ids and
 * imports the records again. Sessions are kept.
 */
async function importWhatever(
  client: Client,
  records: readonly ImportRecord[],
  isBackfill = false,
): Promise<void> {
  try {
    await importRecords(client, records, isBackfill);
  } catch (error) {
    if (!(error instanceof ImportRejectedError)) throw error;
    const ids = records.map(({ id }) => id);
    for (const table of ['assistant_grant', 'price_check', 'deal_set']) {
      await client.query(`DELETE FROM deal_sets.${table} WHERE id = ANY ($1)`, [ids]);
    }
    await importRecords(client, records, isBackfill);
  }
}

async function importRecords(
  client: Client,
  records: readonly ImportRecord[],
  isBackfill = false,
): Promise<void> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  // After `deal-sets erase`, an ordinary import does not restore the buyer. The demo always does.
  await importFile(client, [Buffer.from(text)], { isBackfill, mayRestoreErased: true });
}
