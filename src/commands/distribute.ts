import type { Command } from 'commander';
import { CommandError } from './command-line.js';

export function addDistributeCommand(program: Command): void {
  program
    .command('distribute')
    .description(
      'distribute a migrated database over the workers of a Citus cluster: being rebuilt',
    )
    .action(() => {
      throw new CommandError(
        'distribute is being rebuilt: this version runs on one PostgreSQL and its replicas.',
      );
    });
}
