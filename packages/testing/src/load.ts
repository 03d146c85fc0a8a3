import { importFile, type ImportOptions, type ImportSummary } from '@deal-sets/service/operations';
import { Client } from 'pg';
import { ndjson } from './records.js';

/**
 * Loads records by the real import, on a connection of its own.
 *
 * By default, new and changed records are stamped now. With `{ isBackfill: true }` the records'
 * `latestActivityAt` decides the position of requests in the feed.
 *
 * @param database an object with the address of a migrated database, for the owner of the tables.
 * @param records records of the builders, or the raw text of a file.
 * @throws {ImportRejectedError} when the records are rejected.
 */
export async function load(
  database: { readonly url: string },
  records: readonly object[] | string,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const client = new Client({ connectionString: database.url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const text = typeof records === 'string' ? records : ndjson(records);
    return await importFile(client, [Buffer.from(text)], options);
  } finally {
    await client.end();
  }
}
