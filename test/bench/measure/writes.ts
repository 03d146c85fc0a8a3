import { createReadStream } from 'node:fs';
import { Client } from 'pg';
import { importFile } from '../../../src/import/import-file.js';
import { median } from './statistics.js';

/**
 * What writing costs on two databases that are migrated to different versions, by turns:
 *
 *   node bench-results/build/test/bench/measure/writes.js FILE URL URL
 *
 * Imports the file (made by `deal-sets world`) into each, then commits replies one at a time to each.
 */
const [file = '', ...urls] = process.argv.slice(2);
const COMMITS = 400;
const clients = await Promise.all(
  urls.map(async (connectionString) => {
    const client = new Client({ connectionString });
    await client.connect();
    return client;
  }),
);
const note = (text: string): boolean => process.stdout.write(`${text}\n`);

for (const [index, client] of clients.entries()) {
  const startedAt = performance.now();
  const { records } = await importFile(client, createReadStream(file), {});
  note(
    `import ${index}: ${records} records in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
}

const times: number[][] = clients.map(() => []);
for (let turn = 0; turn < COMMITS; turn += 1) {
  for (const [index, client] of clients.entries()) {
    const startedAt = performance.now();
    await client.query(
      `INSERT INTO reply (buyer_id, id, price_check_id, received_at)
       SELECT buyer_id, gen_random_uuid(), id, now() FROM price_check
       WHERE id >= $1 AND deal_set_id IS NOT NULL ORDER BY id LIMIT 1`,
      [crypto.randomUUID()],
    );
    if (turn >= COMMITS / 10) times[index]?.push(performance.now() - startedAt);
  }
}
for (const [index, own] of times.entries())
  note(`one reply ${index}: ${median(own).toFixed(2)} ms`);
await Promise.all(clients.map((client) => client.end()));
