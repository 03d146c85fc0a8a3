import { Settings } from './settings.js';

/** The same settings but for some: a database that became known once it ran, or what a test needs. */
export function deriveSettings(settings: Settings, changes: Partial<Settings>): Settings {
  const derived = Object.create(Settings.prototype) as Settings;
  return Object.freeze(Object.assign(derived, settings, changes));
}
