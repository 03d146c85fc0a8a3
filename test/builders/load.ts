import pg from 'pg';
import {
  importFile,
  type ImportOptions,
  type ImportSummary,
} from '../../src/import/import-file.js';
import { ndjson } from './records.js';

/**
 * Runs records through the real import, on a connection of its own.
 *
 * Live by default: what is new or changed is stamped now. With `{ isBackfill: true }` the records'
 * `latestActivityAt` decide the place of requests in the feed. Rejects with ImportRefused.
 *
 * @param database anything with the address of a migrated database.
 * @param records as the builders make them, or the raw text of a file.
 */
export async function load(
  database: { readonly url: string },
  records: readonly object[] | string,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const text = typeof records === 'string' ? records : ndjson(records);
    return await importFile(client, inChunks(Buffer.from(text)), options);
  } finally {
    await client.end();
  }
}

async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 65_536) {
    yield await Promise.resolve(bytes.subarray(start, start + 65_536));
  }
}
