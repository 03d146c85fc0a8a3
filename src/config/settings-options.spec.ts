import { ISSUER, errorLinesOf, SETTINGS } from '../../test/settings/settings-table.js';
import { createSettings, type SettingsOptions } from './settings-options.js';
import { loadSettings } from './settings.js';

describe('createSettings', () => {
  /** Builds an object with only the value at a path. */
  const optionAt = (place: string, value: unknown): SettingsOptions => {
    const [group = '', name] = place.split('.');
    return name === undefined ? { [group]: value } : { [group]: { [name]: value } };
  };
  /** All options, with the values of `SETTINGS`. */
  const EVERY_OPTION = SETTINGS.reduce<SettingsOptions>(
    (options, [, place, , text, value = text]) => {
      const [group = ''] = place.split('.');
      const option: Readonly<Record<string, unknown>> = { ...optionAt(place, value) };
      const others = (options as Readonly<Record<string, unknown>>)[group];
      const merged = place.includes('.')
        ? { ...(others as object | undefined), ...(option[group] as object) }
        : option[group];
      return { ...options, [group]: merged };
    },
    {},
  );

  it('accepts every setting as a typed option', () => {
    const env = Object.fromEntries(SETTINGS.map(([variable, , , text]) => [variable, text]));
    expect(createSettings(EVERY_OPTION)).toEqual(loadSettings(env));
  });

  it('uses the defaults of the variables for options that are left out or undefined', () => {
    const undefinedOptions = {
      database: { url: undefined },
      issuer: undefined,
      redisUrl: undefined,
    };
    for (const options of [{}, undefinedOptions]) {
      expect(createSettings({ ...options, isProduction: false })).toEqual(loadSettings({}));
    }
  });

  it('counts as production, which needs an issuer, unless an option states otherwise', () => {
    expect(errorLinesOf(() => createSettings({}))).toEqual([
      'issuer.issuer: expected to be set, with issuer.audiences, unless isProduction is false',
    ]);
  });

  it('turns off an endpoint whose rollout names no buyer', () => {
    const { rollout } = createSettings({ isProduction: false, rollout: { list: new Set() } });
    expect(rollout).toMatchObject({ list: 'off', get: 'on' });
  });

  it.each<[line: string, options: object]>([
    ['databse: expected an option of the settings', { databse: {} }],
    ['database.uri: expected an option of the settings', { database: { uri: 'postgres://db/x' } }],
    ['database.url: expected an address like', { database: { url: 'mysql://db' } }],
    ['database.poolSize: expected a whole number from 1 to 1000', { database: { poolSize: 0.5 } }],
    ['requestDeadlineMs: expected a whole number from 1 to 8000', { requestDeadlineMs: NaN }],
    ['rollout.list: expected on, off, or buyer ids', { rollout: { list: 'ON' } }],
    [
      'issuer.audiences: expected to be set',
      { issuer: { issuer: ISSUER.AUTH_ISSUER, audiences: [] } },
    ],
    [
      'issuer.audiences: expected a list of texts without commas',
      { issuer: { issuer: ISSUER.AUTH_ISSUER, audiences: ['a,b'] } },
    ],
    [
      'database.assistantUrl: expected to be set',
      { database: { url: 'postgres://db/x', readerUrl: 'postgres://r@db/x' } },
    ],
  ])('rejects an option and names its path: %s', (line, options) => {
    const lines = errorLinesOf(() => createSettings({ isProduction: false, ...options }));
    expect(lines).toEqual([expect.stringMatching(`^${line}`)]);
  });
});
