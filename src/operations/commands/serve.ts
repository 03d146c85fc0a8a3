import type { Command } from 'commander';
import { command } from './command.js';
import { CommandError } from './command-error.js';
import { WITHOUT_DATABASE } from './database.js';

/** `deal-sets serve`: serves the API. */
export const serveCommand = (): Command =>
  command('serve', {
    summary: 'serve the API',
    examples: ['deal-sets serve', 'PORT=8080 deal-sets serve'],
  }).action(serve);

async function serve(): Promise<void> {
  const { loadServiceSettings } = await import('../../config/service-settings.js');
  const { settings, server } = loadServiceSettings();
  if (settings.database.url === undefined && settings.database.readerUrl === undefined) {
    throw new CommandError(
      `DATABASE_URL: expected to be set to the PostgreSQL database to serve. ${WITHOUT_DATABASE}`,
    );
  }
  const { startService } = await import('../../standalone/start-service.js');
  await startService({ settings, server });
}
