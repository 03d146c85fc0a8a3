import type { Command } from 'commander';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the API; an embedded database is started and migrated first')
    .addHelpText('after', '\nExamples:\n  deal-sets serve\n  PORT=8080 deal-sets serve')
    .action(async () => {
      // Loaded here: the other commands start a third sooner without the framework.
      const { startService } = await import('../start-service.js');
      await startService();
    });
}
