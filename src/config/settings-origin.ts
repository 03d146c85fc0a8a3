import type { WrongSetting } from './environment-reader.js';
import { PLAIN_ENVIRONMENT, type SettingsSource } from './settings-source.js';
import type { Settings } from './settings.js';

/** Where settings come from, and what their source contained besides them. */
export interface SettingsOrigin {
  readonly source: SettingsSource;
  /** Whether `PUBLIC_URL` is set, so that `publicUrl` is not the default. */
  readonly isPublicUrlSet: boolean;
  /**
   * The `ROLLOUT_*` variables whose values cannot be parsed, by flag. Without a prefix, such a
   * variable may belong to the host application, so it is an error only if an endpoint declares the
   * flag. With a prefix, `parseSettings` rejects it, and there is no such variable here.
   */
  readonly invalidFlags: Readonly<Record<string, WrongSetting>>;
  /**
   * The names of variables that begin with the prefix of the settings but are not settings. Empty
   * without a prefix, because other variables belong to other programs.
   */
  readonly unknownVariables: readonly string[];
}

const ORIGINS = new WeakMap<Settings, SettingsOrigin>();

const UNKNOWN_ORIGIN: SettingsOrigin = {
  source: PLAIN_ENVIRONMENT,
  isPublicUrlSet: false,
  invalidFlags: {},
  unknownVariables: [],
};

/** Sets the origin of settings that have just been parsed. */
export function setOrigin(settings: Settings, origin: SettingsOrigin): void {
  ORIGINS.set(settings, origin);
}

/** Returns the origin of settings. */
export function originOf(settings: Settings): SettingsOrigin {
  return ORIGINS.get(settings) ?? UNKNOWN_ORIGIN;
}
