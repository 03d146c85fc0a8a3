import type { Command } from 'commander';
import { distribute } from '../database/citus/distribute.js';
import { inspectCluster, inspectTables, isDistributed } from '../database/citus/inspect-cluster.js';
import { CommandError } from './command-error.js';
import { printNote } from './console.js';
import { wholeNumber } from './option-values.js';
import { withClient } from './with-client.js';

interface DistributeFlags {
  readonly check?: boolean;
  readonly shards: number;
}

async function runDistribute({ check, shards }: DistributeFlags): Promise<void> {
  await withClient(async (client) => {
    const problems = await inspectCluster(client);
    if (problems.length > 0) throw new CommandError(problems.join('\n'));
    if (!check) {
      const isFirst = await distribute(client, {
        shardCount: shards,
        onStep: (what) => printNote(what),
      });
      const left = [...(await inspectCluster(client)), ...(await inspectTables(client))];
      if (left.length > 0) throw new CommandError(left.join('\n'));
      printNote(
        isFirst
          ? 'The database is distributed by buyer.'
          : 'The database was distributed already; its functions, triggers and privileges are those of this version.',
      );
      return;
    }
    if (!(await isDistributed(client))) {
      throw new CommandError('The database is not distributed: run `deal-sets distribute`.');
    }
    const differing = await inspectTables(client);
    if (differing.length > 0) {
      throw new CommandError([...differing, 'Run `deal-sets distribute`.'].join('\n'));
    }
    printNote('The database is distributed by buyer.');
  });
}

export function addDistributeCommand(program: Command): void {
  program
    .command('distribute')
    .description('distribute a migrated database over the workers of a Citus cluster')
    .option('--check', 'change nothing; fail when something is missing or differs')
    .option('--shards <count>', 'parts of each table', wholeNumber(1, 4096), 32)
    .addHelpText(
      'after',
      '\nRun it on the coordinator while nothing writes, and again after `deal-sets migrate`.\n\n' +
        'Examples:\n  deal-sets distribute --check\n  deal-sets distribute --shards 64',
    )
    .action(runDistribute);
}
