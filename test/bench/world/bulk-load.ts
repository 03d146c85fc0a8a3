import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { makeDealership } from '../../../src/world/dealership-directory.js';
import type { BuyerGroup } from './bench-world.js';
import { copy, loadPart, type LoadPart } from './load-part.js';
import { TableRows } from './table-rows.js';
import { withoutIndexes, withoutTriggers } from './load-mode.js';

/** What is loaded, and how. */
export interface BulkLoad {
  readonly groups: readonly BuyerGroup[];
  readonly dealerships: number;
  /** How many threads share the work; with 1 none is started. */
  readonly threads: number;
}

/** Tables that the bulk load fills while their triggers and foreign keys are off. */
const TABLES = [
  'buyer_session',
  'assistant_grant',
  'deal_set',
  'price_check',
  'question',
  'draft',
  'reply',
  'request_feed',
];

/**
 * Loads the bench's world straight into the tables, by COPY: a hundred times as fast as the import, which
 * checks records and runs triggers. A test holds the two together on a small world.
 *
 * @param onProgress called with the price checks loaded so far, and how many there will be.
 */
export async function bulkLoad(
  url: string,
  { groups, dealerships, threads }: BulkLoad,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const recordedAt = new Date().toISOString();
    await loadDealerships(client, groups, dealerships);
    await withoutTriggers(client, TABLES, async () => {
      await withoutIndexes(client, TABLES, () =>
        loadBuyers({ url, groups, dealerships, recordedAt }, threads, onProgress),
      );
      await client.query(CLEAN_NAMED_LISTINGS);
    });
    await computeReadModel(url, client, threads);
    await client.query('VACUUM ANALYZE');
    // What the load wrote must not be written out while something is measured.
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/** Buyers whose rows of the read model are computed in one statement. */
const BUYERS_AT_ONCE = 50;

/** Fills the rows of the read model, which the writers' triggers would have done. */
async function computeReadModel(url: string, client: Client, threads: number): Promise<void> {
  await client.query('ANALYZE');
  const { rows } = await client.query<{ id: string }>('SELECT id FROM buyer ORDER BY id');
  const work = async (): Promise<void> => {
    const own = new Client({ connectionString: url });
    await own.connect();
    try {
      for (let batch = rows.splice(0, BUYERS_AT_ONCE); batch.length > 0;) {
        await own.query(
          `SELECT request_recompute(array_agg(buyer_id), array_agg(request_id), array_agg(kind))
           FROM request_feed WHERE buyer_id = ANY ($1::uuid[]) HAVING count(*) > 0`,
          [batch.map(({ id }) => id)],
        );
        batch = rows.splice(0, BUYERS_AT_ONCE);
      }
    } finally {
      await own.end();
    }
  };
  await Promise.all(Array.from({ length: threads }, work));
}

/** The world's listings carry a dealership's name behind a bar, and nowhere else. */
const CLEAN_NAMED_LISTINGS = `
  SELECT clean_listings(array_agg(buyer_id), array_agg(request_id))
  FROM (SELECT DISTINCT buyer_id, request_id FROM price_check WHERE listing_trim LIKE '%|%') named
  HAVING count(*) > 0`;

async function loadDealerships(
  client: Client,
  groups: readonly BuyerGroup[],
  dealerships: number,
): Promise<void> {
  const rows = new TableRows(new Set(), '');
  for (let index = 0; index < dealerships; index += 1) {
    const { record } = makeDealership(groups[0]?.options.seed ?? '', index);
    for (const batch of rows.add(record)) await copy(client, batch);
  }
  for (const batch of rows.rest()) await copy(client, batch);
}

async function loadBuyers(
  given: Omit<LoadPart, 'part' | 'of'>,
  threads: number,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const total = given.groups.reduce((sum, { options }) => {
    const { buyers, sets, rows, singles, ended } = options;
    const endedSets = Math.ceil(ended / 2);
    return sum + buyers * (sets * rows + singles + endedSets * rows + (ended - endedSets));
  }, 0);
  let done = 0;
  const onPriceChecks = (count: number): void => {
    done += count;
    onProgress(done, total);
  };
  if (threads === 1) {
    await loadPart({ ...given, part: 0, of: 1 }, onPriceChecks);
    return;
  }
  await Promise.all(
    Array.from({ length: threads }, (_, part) => {
      const worker = new Worker(new URL('./load-worker.js', import.meta.url), {
        workerData: { ...given, part, of: threads } satisfies LoadPart,
      });
      return new Promise<void>((resolve, reject) => {
        worker.on('message', onPriceChecks);
        worker.on('error', reject);
        worker.on('exit', (code) =>
          code === 0 ? resolve() : reject(new Error('a part of the load failed')),
        );
      });
    }),
  );
}
