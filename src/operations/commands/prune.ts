import type { Command } from 'commander';
import { command } from './command.js';
import { withClient } from './database.js';
import { dayCount } from './option-values.js';
import { countOf, printNote } from './output.js';

/** `deal-sets prune`: deletes sessions that expired more than the given number of days ago. */
export const pruneCommand = (): Command =>
  command('prune', {
    summary: 'delete sessions that expired long ago',
    examples: ['deal-sets prune', 'deal-sets prune --days 7'],
    note: 'Revoked approvals are kept, so that an import does not reactivate them.',
  })
    .option(
      '--days <number>',
      'delete sessions that expired more than this many days ago',
      dayCount,
      30,
    )
    .action(prune);

async function prune({ days }: { readonly days: number }): Promise<void> {
  const { pruneSessions } = await import('../sessions.js');
  const deleted = await withClient((client) => pruneSessions(client, days));
  printNote(
    `Deleted ${countOf(deleted, 'session')} that expired more than ${countOf(days, 'day')} ago.`,
  );
}
