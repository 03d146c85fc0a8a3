import type { Command } from 'commander';
import { rebuild, requestsToRebuild } from '../database/rebuild.js';
import { CommandError } from './command-error.js';
import { printNote } from './console.js';
import { failureText } from './failure-text.js';
import { withClient } from './with-client.js';

interface RebuildFlags {
  readonly listings?: boolean;
}

const LINE_EVERY_MS = 2_000;

async function runRebuild({ listings: isAll = false }: RebuildFlags): Promise<void> {
  await withClient(async (client) => {
    let progress = '';
    try {
      const total = await requestsToRebuild(client, isAll);
      let lastAt = Date.now();
      const { rebuilt, stamped } = await rebuild(client, {
        isAll,
        onBatch: (done) => {
          progress = `${count(done.rebuilt)} of ${count(total)} requests`;
          if (Date.now() - lastAt < LINE_EVERY_MS) return;
          lastAt = Date.now();
          printNote(`${progress}, ${count(done.stamped)} changed`);
        },
      });
      printNote(
        rebuilt === 0
          ? 'Nothing to rebuild.'
          : `Rebuilt ${count(rebuilt)} requests: ${count(stamped)} changed and moved in the feed.`,
      );
    } catch (error) {
      throw ended(error, progress, isAll);
    }
  });
}

/** Says what is done already, and what another run does with it. */
function ended(error: unknown, progress: string, isAll: boolean): CommandError {
  const sentences = [
    failureText(error),
    progress && `${progress} were rebuilt.`,
    isAll
      ? 'Then run `deal-sets rebuild --listings` again: it begins anew, and moves no request a second time.'
      : 'Then run `deal-sets rebuild` again: it goes on with those that are left.',
  ];
  return new CommandError(sentences.filter(Boolean).join(' '), { cause: error });
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function addRebuildCommand(program: Command): void {
  program
    .command('rebuild')
    .description('bring what is derived from the data to the rules of this version')
    .option(
      '--listings',
      'rebuild every request, its listings compared with all dealerships on record',
    )
    .addHelpText(
      'after',
      '\nRun it once a release, after the last instance of the version before has stopped; the service runs\n' +
        'meanwhile. Requests of which a client sees something else come with its next poll, all others stay where\n' +
        'they are. It can be ended at any time and run again.\n\n' +
        'Examples:\n  deal-sets rebuild\n  deal-sets rebuild --listings',
    )
    .action(runRebuild);
}
