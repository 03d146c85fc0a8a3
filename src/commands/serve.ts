import type { Command } from 'commander';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { CommandError } from './command-error.js';

async function serve(): Promise<void> {
  const settings = loadSettings(readEnvironment());
  if (settings.database.url === undefined && settings.database.readerUrl === undefined) {
    throw new CommandError(
      'DATABASE_URL: expected to be set, to the PostgreSQL that is served. To try the service without one: npm run demo.',
    );
  }
  // Loaded here: the other commands start a third sooner without the framework.
  const { startService } = await import('../start-service.js');
  await startService({ settings });
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the API')
    .addHelpText('after', '\nExamples:\n  deal-sets serve\n  PORT=8080 deal-sets serve')
    .action(serve);
}
