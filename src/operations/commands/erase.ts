import type { Command } from 'commander';
import { command } from './command.js';
import { CommandError } from './command-error.js';
import { withDatabase } from './database.js';
import { uuid } from './option-values.js';
import { printNote } from './output.js';

/**
 * `deal-sets erase`: after confirmation, erases a buyer with all data and records a hash of the id,
 * so that an import does not restore the buyer.
 */
export const eraseCommand = (): Command =>
  command('erase', {
    summary: 'remove everything stored about a buyer',
    examples: ['deal-sets erase BUYER'],
  })
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--yes', 'skip the confirmation')
    .action(erase);

async function erase({ buyer, yes }: { buyer: string; yes?: boolean }): Promise<void> {
  if (!yes && !process.stdin.isTTY) {
    throw new CommandError('No terminal to confirm on: pass --yes.');
  }
  const [{ countsOf, eraseBuyer }, { writeAuditLine }] = await Promise.all([
    import('../erase.js'),
    import('./audit.js'),
  ]);
  await withDatabase(async (dataSource, settings) => {
    const { isKnown, dealSets, priceChecks, sessions, grants } = await countsOf(dataSource, buyer);
    const what = `deal sets ${dealSets}, price checks with their threads ${priceChecks}, sessions ${sessions}, grants ${grants}`;
    if (!yes && !(await isConfirmed(`Erase buyer ${buyer}: ${what}? Type yes to do it: `))) {
      throw new CommandError('Nothing was erased: not confirmed with yes.');
    }
    await eraseBuyer(dataSource, buyer, () =>
      printNote('Waiting for an import into this database to finish.'),
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
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}
