import { deriveSettings } from './derive-settings.js';
import type { Settings } from './settings.js';

/** The same settings on a database whose address became known later: the embedded one, once it runs. */
export function withDatabaseUrl(settings: Settings, url: string): Settings {
  return deriveSettings(settings, { database: Object.freeze({ ...settings.database, url }) });
}
