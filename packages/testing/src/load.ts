import { importFile, type ImportOptions, type ImportSummary } from '@deal-sets/service/operations';
import { Client } from 'pg';
import { ndjson } from './records.js';

/**
 * Loads records with the real import, on a separate connection.
 *
 * By default, new and changed records are stamped with the current time. With
 * `{ isBackfill: true }` the records' `latestActivityAt` becomes the stamp of requests.
 *
 * @param database its `url` connects to a migrated database as the owner of the tables.
 * @param records the records, for example from the builders, or the text of an import file.
 * @throws {ImportRejectedError} if the records are rejected.
 */
export async function load(
  database: { readonly url: string },
  records: readonly object[] | string,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const client = new Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const text = typeof records === 'string' ? records : ndjson(records);
    return await importFile(client, [Buffer.from(text)], options);
  } finally {
    await client.end();
  }
}
