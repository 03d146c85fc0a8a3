import { pipeline } from 'node:stream/promises';
import { exportFile } from '../import/export-file.js';
import { writeAuditLine } from './audit.js';
import { assertBuyerExists, withClient } from './command-line.js';

/**
 * `deal-sets export`: writes everything, or one buyer's data, as an import file to standard output.
 *
 * @throws {CommandError} for an unknown buyer.
 */
export async function runExport({ buyer }: { readonly buyer?: string }): Promise<void> {
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
