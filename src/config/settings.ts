import { readFileSync } from 'node:fs';
import * as z from 'zod';
import {
  checkSettings,
  environmentSource,
  optionsSource,
  type Conflict,
  type SettingsSource,
} from './check-settings.js';
import { redisUrl as redisUrlSchema } from './setting-parsers.js';
import { SETTINGS } from './settings-table.js';
import { tokenOf } from './settings-token.js';

export type { ApiContact, LogLevel, RolloutSetting } from './setting-parsers.js';

/**
 * The settings as typed options. The guide for operators lists them with their defaults and
 * meanings. An application whose settings are typed options counts as production unless
 * `isProduction` is false.
 */
export interface SettingsOptions extends z.input<typeof SETTINGS> {}

/**
 * The settings of the module, checked and frozen. Inject this class to read them. `loadSettings`
 * returns them, and `DealSetsModule` creates them from its option `settings`.
 */
export interface Settings extends z.output<typeof SETTINGS> {}
/** Nest's token for the settings. */
export const Settings = tokenOf('Settings') as abstract new () => Settings;

/** The addresses of the database, and options of its connections. */
export type DatabaseOptions = Settings['database'];
/** The OAuth 2.0 issuer whose access tokens are accepted. */
export type IssuerOptions = NonNullable<Settings['issuer']>;
/** The endpoints at which an assistant's client obtains access tokens, for the API description. */
export type AuthorizationEndpoints = NonNullable<Settings['authorizationEndpoints']>;

/** How `loadSettings` reads an environment. */
export interface LoadOptions {
  /**
   * The prefix of every variable name except `NODE_ENV`, such as `DEAL_SETS_`, for an environment
   * that also contains variables of a host application. Variables without the prefix are not read.
   * Default: none.
   */
  readonly prefix?: string;
}

/** The option of `DealSetsModule` and of `startService`. */
const MODULE_SETTINGS = z.strictObject({ settings: SETTINGS.prefault({}) });

/**
 * Reads the settings of the module from the environment and checks them.
 *
 * @throws {SettingsError} with one line for each setting that is not valid or contradicts another.
 *   It names the variable and what is expected, never a value.
 */
export function loadSettings(
  env: NodeJS.ProcessEnv = process.env,
  { prefix = '' }: LoadOptions = {},
): Settings {
  return settingsFrom(environmentSource(MODULE_SETTINGS, env, prefix));
}

/**
 * Checks the option `settings`: typed options, or what `loadSettings` returned.
 *
 * @throws {SettingsError} with one line for each option that is unknown, is not valid or
 *   contradicts another. The line begins with the path, such as `settings.database.url`.
 */
export function settingsFromOptions(settings: SettingsOptions): Settings {
  return settingsFrom(optionsSource({ settings: withProductionDefault(settings) }));
}

function settingsFrom(source: SettingsSource): Settings {
  const { settings } = checkSettings(MODULE_SETTINGS, source, (checked, nameOf) =>
    conflictsOf(checked.settings, nameOf),
  );
  return withRedisUrl(settings);
}

/** Returns the options with `isProduction` on unless they turn it off. */
export function withProductionDefault(options: SettingsOptions): SettingsOptions {
  return { ...options, isProduction: options.isProduction ?? true };
}

/** Returns the settings with the address in the file that `redisUrlFile` names. */
export function withRedisUrl({ redisUrlFile, ...settings }: Settings): Settings {
  if (redisUrlFile === undefined) return Object.freeze(settings);
  return Object.freeze({ ...settings, redisUrl: readFileSync(redisUrlFile, 'utf8').trim() });
}

type NameOf = (path: string) => string;

/** Returns the settings of the module that contradict each other. */
export function* conflictsOf(settings: Settings, nameOf: NameOf): Generator<Conflict> {
  const { hasMcp, publicUrl, redisUrl, redisUrlFile } = settings;
  const { url, readerUrl, assistantUrl, replicaUrl } = settings.database;
  if ((readerUrl === undefined) !== (assistantUrl === undefined)) {
    const missing = readerUrl === undefined ? 'readerUrl' : 'assistantUrl';
    yield [
      `settings.database.${missing}`,
      'to be set, because the logins of both pools go together',
    ];
  }
  if (replicaUrl !== undefined && url === undefined && readerUrl === undefined) {
    const replica = nameOf('settings.database.replicaUrl');
    yield ['settings.database.url', `to be set, because ${replica} does not replace it`];
  }
  yield* passwordConflictsOf(settings.database, nameOf);
  if (redisUrlFile !== undefined && redisUrl !== undefined) {
    const name = nameOf('settings.redisUrl');
    yield ['settings.redisUrlFile', `to be unset, because ${name} is set`];
  } else if (redisUrlFile !== undefined) {
    const text = readFileSync(redisUrlFile, 'utf8').trim();
    const [issue] = redisUrlSchema.safeParse(text).error?.issues ?? [];
    if (issue) yield ['settings.redisUrlFile', `a file that contains ${issue.message}`];
  }
  if (hasMcp && publicUrl === undefined) {
    yield ['settings.publicUrl', `to be set, because ${nameOf('settings.hasMcp')} is on`];
  }
}

/**
 * Reports passwords that are in both an address and a file, password files without an address, and
 * a replica password file that is set together with reading logins.
 */
function* passwordConflictsOf(database: DatabaseOptions, nameOf: NameOf): Generator<Conflict> {
  const logins = [
    ['url', 'passwordFile'],
    ['readerUrl', 'readerPasswordFile'],
    ['assistantUrl', 'assistantPasswordFile'],
    ['replicaUrl', 'replicaPasswordFile'],
  ] as const;
  for (const [address, file] of logins) {
    if (database[file] === undefined) continue;
    const url = database[address];
    const path = `settings.database.${address}`;
    const fileName = nameOf(`settings.database.${file}`);
    if (url === undefined) {
      yield [path, `to be set, because ${fileName} contains the password for it`];
    } else if (new URL(url).password !== '') {
      yield [path, `an address without a password, because ${fileName} contains it`];
    }
  }
  if (database.replicaPasswordFile !== undefined && database.readerUrl !== undefined) {
    const names = ['readerUrl', 'assistantUrl'].map((name) => nameOf(`settings.database.${name}`));
    const expected = `to be unset, because ${names.join(' and ')} are the logins of the replica`;
    yield ['settings.database.replicaPasswordFile', expected];
  }
}
