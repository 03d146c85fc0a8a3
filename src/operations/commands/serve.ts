import { loadServiceSettings } from '../../config/service-settings.js';
import { CommandError, WITHOUT_DATABASE } from './command-line.js';

/**
 * `deal-sets serve`: serves the API.
 *
 * @throws {CommandError} when no database is set.
 */
export async function runServe(): Promise<void> {
  const { settings, server } = loadServiceSettings();
  if (settings.database.url === undefined && settings.database.readerUrl === undefined) {
    throw new CommandError(
      `DATABASE_URL: expected to be set to the PostgreSQL database to serve. ${WITHOUT_DATABASE}`,
    );
  }
  // Loaded here, because the other commands start a third faster without the framework.
  const { startService } = await import('../../standalone/start-service.js');
  await startService({ settings, server });
}
