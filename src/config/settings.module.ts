import { Settings } from './settings.js';

/** The values of a module that needs only the settings. */
export interface SettingsValues {
  /** The result of `loadSettings` or `createSettings`. */
  readonly settings: Settings;
}

/**
 * Checks the values that a factory returned.
 *
 * @throws {Error} unless they contain the result of `loadSettings` or `createSettings`.
 */
export function assertSettings(values: Partial<SettingsValues> | null | undefined): void {
  if (typeof values !== 'object' || values === null) {
    const found = values === null ? 'null' : typeof values;
    throw new Error(`useFactory: expected an object with settings, not ${found}`);
  }
  if (!(values.settings instanceof Settings)) {
    throw new Error('settings: expected the result of loadSettings or createSettings');
  }
}
