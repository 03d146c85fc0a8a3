import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { command } from './command.js';
import { assertBuyerExists, withClient } from './database.js';
import { uuid } from './option-values.js';

/** `deal-sets export`: writes everything, or one buyer's data, as an import file. */
export const exportCommand = (): Command =>
  command('export', {
    summary: 'write everything that is stored as an import file to standard output',
    examples: ['deal-sets export > everything.ndjson', 'deal-sets export BUYER > anna.ndjson'],
    note: 'The file contains personal data and sessions. `deal-sets import --backfill` loads it into another database.',
  })
    .option('--buyer <id>', 'only the data of one buyer', uuid)
    .action(writeExport);

async function writeExport({ buyer }: { readonly buyer?: string }): Promise<void> {
  const [{ exportFile }, { writeAuditLine }] = await Promise.all([
    import('../export/export-file.js'),
    import('./audit.js'),
  ]);
  await withClient(async (client, settings) => {
    if (buyer !== undefined) await assertBuyerExists(client, buyer);
    // Written before the first line, because an export that ends early has also disclosed data.
    writeAuditLine(settings, { action: 'export', buyer });
    try {
      await pipeline(exportFile(client, buyer), process.stdout);
    } catch (error) {
      // The reader closed the pipe, as `| head` does.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
  });
}
