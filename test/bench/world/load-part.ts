import { once } from 'node:events';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { makeDealership } from '../../../src/world/dealership-directory.js';
import { makeBuyer } from '../../../src/world/generate-buyer.js';
import type { BuyerGroup } from './bench-world.js';
import { TableRows, type RowBatch } from './table-rows.js';

/** The part of one worker of the bulk load: every `of`-th buyer, beginning with number `part`. */
export interface LoadPart {
  readonly url: string;
  readonly groups: readonly BuyerGroup[];
  readonly dealerships: number;
  readonly recordedAt: string;
  readonly part: number;
  readonly of: number;
}

/** Loads a part of the world; reports the number of price checks as they go in. */
export async function loadPart(
  { url, groups, dealerships, recordedAt, part, of }: LoadPart,
  onPriceChecks: (count: number) => void,
): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const seed = groups[0]?.options.seed ?? '';
    const partners = new Set<string>();
    for (let index = 0; index < dealerships; index += 1) {
      const { record } = makeDealership(seed, index);
      if (record.verifiedPartner) partners.add(record.id);
    }
    const rows = new TableRows(partners, recordedAt);
    let priceChecks = 0;
    for (const { from, options } of groups) {
      for (let index = from + part; index < from + options.buyers; index += of) {
        for (const record of makeBuyer(options, index, dealerships)) {
          if (record.record === 'priceCheck') priceChecks += 1;
          for (const batch of rows.add(record)) await copy(client, batch);
        }
        onPriceChecks(priceChecks);
        priceChecks = 0;
      }
    }
    for (const batch of rows.rest()) await copy(client, batch);
  } finally {
    await client.end();
  }
}

/** Puts rows into their table; the connection does nothing else meanwhile. */
export async function copy(client: Client, { table, columns, text }: RowBatch): Promise<void> {
  const stream = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  stream.end(text);
  await once(stream, 'finish');
}
