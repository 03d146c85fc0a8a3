import type { Command } from 'commander';
import { migrate, pendingChanges, type MigrateSummary } from '../database/migrate.js';
import { rebuild } from '../database/rebuild.js';
import { CommandError, count, printNote } from './command-line.js';
import { failureText } from './failure-text.js';
import { withClient, withDatabase } from './with-client.js';

interface MigrateFlags {
  readonly check?: boolean;
  readonly downgrade?: boolean;
}

const CODE_NOTES: Readonly<Record<MigrateSummary['code'], string>> = {
  unchanged: 'The code of sql/ is in force.',
  updated: 'Brought the code of sql/ into force.',
  kept: 'Left the code of a newer version in force: --downgrade replaces it with this one.',
};

function runMigrate({ check, downgrade }: MigrateFlags): Promise<void> {
  return withDatabase(async (dataSource) => {
    if (check) {
      const pending = await pendingChanges(dataSource);
      if (pending.length > 0) {
        throw new CommandError(`Pending: ${pending.join(', ')}. Run \`deal-sets migrate\`.`);
      }
      printNote('Nothing is pending.');
      return;
    }
    const { applied, code } = await migrate(dataSource, { mayDowngrade: downgrade ?? false });
    const what =
      applied.length === 0 ? 'No migration was pending' : `Applied ${applied.join(', ')}`;
    printNote(`${what}. ${CODE_NOTES[code]}`);
  });
}

const LINE_EVERY_MS = 2_000;

async function runRebuild(): Promise<void> {
  let progress = '';
  let lastAt = Date.now();
  await withClient(async (client) => {
    const { buyers, compared, changed } = await rebuild(client, {
      onProgress: (done) => {
        progress = `${count(done.buyers)} buyers, ${count(done.compared)} requests`;
        if (Date.now() - lastAt < LINE_EVERY_MS) return;
        lastAt = Date.now();
        printNote(`${progress}, ${count(done.changed)} changed`);
      },
    }).catch((error: unknown) => {
      const sentences = [
        failureText(error),
        progress && `${progress} were compared.`,
        'Then run `deal-sets rebuild` again: it goes on, and moves no request a second time.',
      ];
      throw new CommandError(sentences.filter(Boolean).join(' '), { cause: error });
    });
    printNote(
      `Compared ${count(compared)} requests of ${count(buyers)} buyers: ${count(changed)} changed and moved in the feed.`,
    );
  });
}

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply pending migrations and bring the code of sql/ into force')
    .option('--check', 'change nothing; fail when something is pending')
    .option('--downgrade', 'also when the code in force is that of a newer version')
    .addHelpText('after', '\nExamples:\n  deal-sets migrate\n  deal-sets migrate --check')
    .action(runMigrate);
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
