import type { Command } from 'commander';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import type { Settings } from '../config/settings.js';
import { startService, type RunningService } from '../start-service.js';
import { openDatabase, openMigratedDatabase } from './open-database.js';

/**
 * Serves the API until a signal ends the process. The embedded database is started and migrated first; a
 * configured one may be down: the service then answers 503 until it is back.
 */
export async function serve(settings: Settings): Promise<RunningService> {
  const isEmbedded = settings.database.url === undefined;
  const database = await (isEmbedded ? openMigratedDatabase(settings) : openDatabase(settings));
  try {
    return await startService(database.settings, undefined, { afterStop: () => database.close() });
  } catch (error) {
    await database.close();
    throw error;
  }
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the API; an embedded database is started and migrated first')
    .addHelpText('after', '\nExamples:\n  deal-sets serve\n  PORT=8080 deal-sets serve')
    .action(async () => {
      await serve(loadSettings(readEnvironment()));
    });
}
