import { createInterface } from 'node:readline/promises';
import type { EntityTarget } from 'typeorm';
import {
  AssistantGrant,
  Buyer,
  BuyerSession,
  DealSet,
  PriceCheck,
} from '../../database/entities.js';
import { retryConflicts } from '../../database/retry-conflicts.js';
import { lockImports } from '../import/import-lock.js';
import { writeAuditLine } from './audit.js';
import { CommandError, printNote, withDatabase } from './command-line.js';

/**
 * `deal-sets erase`: after confirmation, erases a buyer with all data and records a hash of the id,
 * so that an import does not restore the buyer.
 *
 * @throws {CommandError} if the erasure is not confirmed.
 */
export async function runErase({ buyer, yes }: { buyer: string; yes?: boolean }): Promise<void> {
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
        await lockImports(
          (sql) => manager.query(sql),
          'erasure',
          () => printNote('Waiting for an import into this database to finish.'),
        );
        // In a distributed database, sessions have no foreign key to their buyer.
        await manager.getRepository(BuyerSession).delete({ buyerId: buyer });
        // Cascading foreign keys delete the rest of the buyer's data.
        await manager.getRepository(Buyer).delete({ id: buyer });
        // Records the erasure, so that an import does not restore the buyer.
        await manager.query(
          `INSERT INTO deal_sets.erased_buyer (id_sha256) VALUES (sha256($1::uuid::text::bytea)) ON CONFLICT DO NOTHING`,
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
