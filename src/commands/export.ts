import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { exportFile } from '../import/export-file.js';
import { CommandError, uuid } from './command-line.js';
import { withClient } from './with-client.js';

async function runExport({ buyer }: { readonly buyer?: string }): Promise<void> {
  await withClient(async (client) => {
    if (buyer !== undefined) {
      const { rowCount } = await client.query('SELECT 1 FROM public.buyer WHERE id = $1', [buyer]);
      if (rowCount === 0) throw new CommandError(`There is no buyer ${buyer}: check the id.`);
    }
    try {
      await pipeline(exportFile(client, buyer), process.stdout);
    } catch (error) {
      // The reader closed the pipe, as `| head` does.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
  });
}

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('write everything that is stored as an import file to standard output')
    .option('--buyer <id>', 'everything about one buyer alone', uuid)
    .addHelpText(
      'after',
      '\nThe file holds personal data and sessions. `deal-sets import --backfill` loads it into another database.\n\n' +
        'Examples:\n  deal-sets export > everything.ndjson\n' +
        '  deal-sets export --buyer 00000000-0000-4000-8000-000000000001 > anna.ndjson',
    )
    .action(runExport);
}
