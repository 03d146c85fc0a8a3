import { Client } from 'pg';
import { importFile } from '../../../src/import/import-file.js';
import type { ImportRecord } from '../../../src/import/record-kinds.js';
import { makeDealership } from '../../../packages/demo/src/world/dealership-directory.js';
import { makeBuyer } from '../../../packages/demo/src/world/generate-buyer.js';
import type { BuyerGroup } from './bench-world.js';

/** Whole buyers are imported together until a file has this many records: temporary tables stay small. */
const FILE_RECORDS = 50_000;

/**
 * Loads the world by the service's own import, as `deal-sets import --backfill` does, file after file.
 *
 * @param onProgress called with the buyers loaded so far, and how many there will be.
 */
export async function loadWorld(
  url: string,
  groups: readonly BuyerGroup[],
  dealerships: number,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const importRecords = (records: readonly ImportRecord[]): Promise<unknown> =>
    importFile(client, ndjson(records), { isBackfill: true });
  try {
    const seed = groups[0]?.options.seed ?? '';
    await importRecords(
      Array.from({ length: dealerships }, (_, index) => makeDealership(seed, index).record),
    );
    const total = groups.reduce((sum, { options }) => sum + options.buyers, 0);
    let records: ImportRecord[] = [];
    for (const { from, options } of groups) {
      for (let index = from; index < from + options.buyers; index += 1) {
        for (const record of makeBuyer(options, index, dealerships)) records.push(record);
        if (records.length < FILE_RECORDS && index + 1 < total) continue;
        await importRecords(records);
        records = [];
        onProgress(index + 1, total);
      }
    }
    await client.query('VACUUM ANALYZE');
    // What the load wrote must not be written out while something is measured.
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

async function* ndjson(records: readonly ImportRecord[]): AsyncGenerator<Buffer> {
  for (let start = 0; start < records.length; start += 500) {
    const lines = records.slice(start, start + 500).map((record) => `${JSON.stringify(record)}\n`);
    yield await Promise.resolve(Buffer.from(lines.join('')));
  }
}
