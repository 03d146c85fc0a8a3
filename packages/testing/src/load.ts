import { importFile, type ImportOptions, type ImportSummary } from '@deal-sets/service/operations';
import { Client } from 'pg';
import { ndjson } from './records.js';

/**
 * Runs records through the real import, on a connection of its own.
 *
 * Live by default: what is new or changed is stamped now. With `{ isBackfill: true }` the records'
 * `latestActivityAt` decide the place of requests in the feed. Rejects with ImportRejectedError.
 *
 * @param database anything with the address of a migrated database, as the owner of the tables.
 * @param records as the builders make them, or the raw text of a file.
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
