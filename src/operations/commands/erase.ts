import { createInterface } from 'node:readline/promises';
import { pipeline } from 'node:stream/promises';
import type { EntityTarget } from 'typeorm';
import {
  AssistantGrant,
  Buyer,
  BuyerSession,
  DealSet,
  PriceCheck,
} from '../../database/entities.js';
import { retryConflicts } from '../schema/retry-conflicts.js';
import { exportFile } from '../import/export-file.js';
import { writeAuditLine } from './audit.js';
import { CommandError, printNote, withClient, withDatabase } from './command-line.js';

/**
 * `deal-sets erase`: after confirmation, erases a buyer with all data and records a hash of the id,
 * so that an import does not restore the buyer.
 *
 * @throws {CommandError} if the erasure is not confirmed.
 */
export async function erase({ buyer, yes }: { buyer: string; yes?: boolean }): Promise<void> {
  if (!yes && !process.stdin.isTTY) {
    throw new CommandError('No terminal to confirm on: pass --yes.');
  }
  await withDatabase(async (dataSource, settings) => {
    const buyers = dataSource.getRepository(Buyer);
    const isKnown = await buyers.existsBy({ id: buyer });
    const count = (entity: EntityTarget<{ buyerId: string }>): Promise<number> =>
      dataSource.getRepository(entity).countBy({ buyerId: buyer });
    const what =
      `deal sets ${await count(DealSet)}, price checks with their threads ${await count(PriceCheck)}, ` +
      `sessions ${await count(BuyerSession)}, grants ${await count(AssistantGrant)}`;
    if (!yes && !(await isConfirmed(`Erase buyer ${buyer}: ${what}? Type yes to do it: `))) {
      throw new CommandError('Nothing was erased: not confirmed with yes.');
    }
    await retryConflicts(() =>
      dataSource.transaction(async (manager) => {
        // Cascading foreign keys delete the rest of the buyer's data.
        await manager.getRepository(BuyerSession).delete({ buyerId: buyer });
        await manager.getRepository(Buyer).delete({ id: buyer });
        // Records the erasure, so that an import does not restore the buyer.
        await manager.query(
          `INSERT INTO public.erased_buyer (id_sha256) VALUES (sha256($1::uuid::text::bytea)) ON CONFLICT DO NOTHING`,
          [buyer],
        );
      }),
    );
    writeAuditLine(settings, { action: 'erase', buyer });
    printNote(
      isKnown
        ? `Erased buyer ${buyer}: ${what}.`
        : `Nothing was stored about buyer ${buyer}. An import skips records of this id from now on.`,
    );
  });
}

async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}

/**
 * `deal-sets export`: writes everything, or one buyer's data, as an import file to standard output.
 *
 * @throws {CommandError} for an unknown buyer.
 */
export async function runExport({ buyer }: { readonly buyer?: string }): Promise<void> {
  await withClient(async (client, settings) => {
    if (buyer !== undefined) {
      const { rowCount } = await client.query('SELECT 1 FROM public.buyer WHERE id = $1', [buyer]);
      if (rowCount === 0) throw new CommandError(`There is no buyer ${buyer}: check the id.`);
    }
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
