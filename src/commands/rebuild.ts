import type { Command } from 'commander';
import { rebuild } from '../database/rebuild.js';
import { CommandError } from './command-error.js';
import { printNote } from './console.js';
import { failureText } from './failure-text.js';
import { withClient } from './with-client.js';

const LINE_EVERY_MS = 2_000;

async function runRebuild(): Promise<void> {
  await withClient(async (client) => {
    let progress = '';
    let lastAt = Date.now();
    try {
      const { buyers, compared, changed } = await rebuild(client, {
        onProgress: (done) => {
          progress = `${count(done.buyers)} buyers, ${count(done.compared)} requests`;
          if (Date.now() - lastAt < LINE_EVERY_MS) return;
          lastAt = Date.now();
          printNote(`${progress}, ${count(done.changed)} changed`);
        },
      });
      printNote(
        `Compared ${count(compared)} requests of ${count(buyers)} buyers: ${count(changed)} changed and moved in the feed.`,
      );
    } catch (error) {
      const sentences = [
        failureText(error),
        progress && `${progress} were compared.`,
        'Then run `deal-sets rebuild` again: it goes on, and moves no request a second time.',
      ];
      throw new CommandError(sentences.filter(Boolean).join(' '), { cause: error });
    }
  });
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function addRebuildCommand(program: Command): void {
  program
    .command('rebuild')
    .description('compute anew what the triggers keep, buyer by buyer')
    .addHelpText(
      'after',
      '\nRun it after a version that shows something by other rules (readiness says "pending": "rebuild"), or for\n' +
        'repair; the service runs meanwhile. Requests of which a client sees something else come with its next poll,\n' +
        'all others stay where they are. It can be ended at any time and run again.\n\n' +
        'Example:\n  deal-sets rebuild',
    )
    .action(runRebuild);
}
