import type { Command } from 'commander';
import { distributeTables, missingOfDistribution, prepareNodes } from '../database/distribute.js';
import { CommandError, printNote } from './command-line.js';
import { withRepositories } from './with-client.js';

async function runDistribute({ check }: { readonly check?: boolean }): Promise<void> {
  if (!check) {
    refuse(await withRepositories(prepareNodes));
    // A session of its own: the settings of a database hold from the next one on.
    await withRepositories(distributeTables);
  }
  refuse(
    await withRepositories((dataSource, { database: { readerUrl, assistantUrl } }) =>
      missingOfDistribution(
        dataSource,
        [readerUrl, assistantUrl].filter((url) => url !== undefined),
      ),
    ),
  );
  printNote('The database is distributed, and nothing is missing on any node.');
}

function refuse(missing: readonly string[]): void {
  if (missing.length > 0) throw new CommandError(`Missing:\n  ${missing.join('\n  ')}`);
}

export function addDistributeCommand(program: Command): void {
  program
    .command('distribute')
    .description('distribute a migrated database over the workers of a Citus cluster')
    .option('--check', 'change nothing; fail when something is missing, and say where')
    .addHelpText(
      'after',
      '\nRun it at the coordinator, with the service and the writers stopped, and again when a worker or a login was\n' +
        'added. docs/scaling.md says when, and what it costs.\n\n' +
        'Examples:\n  deal-sets distribute\n  deal-sets distribute --check',
    )
    .action(runDistribute);
}
