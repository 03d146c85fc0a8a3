import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { retryConflicts } from '../database/retry-conflicts.js';
import { CommandError } from './command-error.js';
import { uuid } from './option-values.js';
import { printNote } from './console.js';
import { withClient } from './with-client.js';

interface EraseOptions {
  readonly buyer: string;
  readonly yes?: boolean;
}

interface Held {
  readonly deal_sets: number;
  readonly price_checks: number;
  readonly sessions: number;
  readonly grants: number;
}

const HELD = `SELECT
  (SELECT count(*)::integer FROM deal_set WHERE buyer_id = b.id) AS deal_sets,
  (SELECT count(*)::integer FROM price_check WHERE buyer_id = b.id) AS price_checks,
  (SELECT count(*)::integer FROM buyer_session WHERE buyer_id = b.id) AS sessions,
  (SELECT count(*)::integer FROM assistant_grant WHERE buyer_id = b.id) AS grants
  FROM buyer b WHERE b.id = $1`;

async function erase({ buyer, yes }: EraseOptions): Promise<void> {
  if (!yes && !process.stdin.isTTY) {
    throw new CommandError('No terminal to confirm on: pass --yes.');
  }
  await withClient(async (client) => {
    const { rows } = await client.query<Held>(HELD, [buyer]);
    const held = rows[0];
    if (!held) throw new CommandError(`There is no buyer ${buyer}: check the id.`);
    const what =
      `deal sets ${held.deal_sets}, price checks with their threads ${held.price_checks}, ` +
      `sessions ${held.sessions}, grants ${held.grants}`;
    if (!yes && !(await isConfirmed(`Erase buyer ${buyer}: ${what}? Type yes to do it: `))) {
      throw new CommandError('Nothing was erased: the answer was not yes.');
    }
    // Everything that is a buyer's refers to her, and goes with her in this one statement.
    await retryConflicts(() => client.query('DELETE FROM buyer WHERE id = $1', [buyer]));
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
