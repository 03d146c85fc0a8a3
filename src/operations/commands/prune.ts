import { pruneSessions } from '../prune.js';
import { countOf, printNote, withClient } from './command-line.js';

/** `deal-sets prune`: deletes sessions that expired more than the given number of days ago. */
export async function runPrune({ days }: { readonly days: number }): Promise<void> {
  const deleted = await withClient((client) => pruneSessions(client, days));
  printNote(
    `Deleted ${countOf(deleted, 'session')} that expired more than ${countOf(days, 'day')} ago.`,
  );
}
