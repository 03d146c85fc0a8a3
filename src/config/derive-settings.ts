import { DatabaseSettings, Settings } from './settings.js';

/** The same settings but for some: a database that became known once it ran, or what a test needs. */
export function deriveSettings(settings: Settings, changes: Partial<Settings>): Settings {
  const derived = Object.create(Settings.prototype) as Settings;
  return Object.freeze(Object.assign(derived, settings, changes));
}

/** The same settings on a database whose address became known later: the embedded one, once it runs. */
export function withDatabaseUrl(settings: Settings, url: string): Settings {
  const database = Object.assign(new DatabaseSettings(), settings.database, { url });
  return deriveSettings(settings, { database: Object.freeze(database) });
}
