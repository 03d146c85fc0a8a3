import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { EntityTarget } from 'typeorm';
import { AssistantGrant, Buyer, BuyerSession, DealSet, PriceCheck } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { CommandError, printNote, uuid } from './command-line.js';
import { withRepositories } from './with-client.js';

async function erase({ buyer, yes }: { buyer: string; yes?: boolean }): Promise<void> {
  if (!yes && !process.stdin.isTTY) {
    throw new CommandError('No terminal to confirm on: pass --yes.');
  }
  await withRepositories(async (dataSource) => {
    const buyers = dataSource.getRepository(Buyer);
    if (!(await buyers.existsBy({ id: buyer }))) {
      throw new CommandError(`There is no buyer ${buyer}: check the id.`);
    }
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
        // The rest of what is a buyer's refers to her and goes with her.
        await manager.getRepository(BuyerSession).delete({ buyerId: buyer });
        await manager.getRepository(Buyer).delete({ id: buyer });
        // What stays: that she was erased, so that an import does not bring her back.
        await manager.query(
          `INSERT INTO public.erased_buyer (id_sha256) VALUES (sha256($1::uuid::text::bytea)) ON CONFLICT DO NOTHING`,
          [buyer],
        );
      }),
    );
    printNote(`Erased buyer ${buyer}: ${what}.`);
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

export function addEraseCommand(program: Command): void {
  program
    .command('erase')
    .description('remove everything held about a buyer')
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExample:\n  deal-sets erase --buyer 00000000-0000-4000-8000-000000000001',
    )
    .action(erase);
}
