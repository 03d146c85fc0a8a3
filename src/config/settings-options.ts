import { SettingsError } from './environment-reader.js';
import { isSettingsGroup, pathOf, variableOf } from './setting-variables.js';
import { parseSettings } from './settings.js';
import type { DatabaseOptions, IssuerOptions, ReadRate, Settings } from './settings.js';
import type { SettingsSource } from './settings-source.js';

/** The issuer of access tokens as an option. */
export interface IssuerOption extends Omit<IssuerOptions, 'jwksUrl'> {
  /** Default: the address in the issuer's metadata. */
  readonly jwksUrl?: string | undefined;
}

/**
 * The settings as typed options. An option that is left out has the default of `.env.example`,
 * except that the application counts as production unless `isProduction` is false.
 */
export interface SettingsOptions extends Partial<
  Omit<Settings, 'database' | 'issuer' | 'readRate'>
> {
  readonly database?: Partial<DatabaseOptions>;
  readonly issuer?: IssuerOption | undefined;
  readonly readRate?: Partial<ReadRate>;
}

const OPTIONS: SettingsSource = {
  nameOf: pathOf,
  developmentMode: 'isProduction is false',
  isShared: false,
};

/**
 * Creates the settings from typed options, for a host application with its own configuration. It
 * does not read the environment. Each option is checked like its variable in `.env.example`.
 *
 * @throws {SettingsError} with one line for each option that is unknown, is not valid or
 *   contradicts another. The line begins with the path of the option, such as `database.url`.
 */
export function createSettings(options: SettingsOptions): Settings {
  const values = pathsOf(options).map(([path, value]) => [path, variableOf(path), value] as const);
  const problems = values.flatMap(([path, variable, value]) => {
    if (variable === undefined) return [`${path}: expected an option of the settings`];
    return hasComma(value) ? [`${path}: expected a list of texts without commas`] : [];
  });
  if (problems.length > 0) throw new SettingsError(problems);
  const env: Record<string, string | undefined> = {};
  for (const [, variable, value] of values) env[String(variable)] = textOf(value);
  const isProduction = options.isProduction ?? true;
  return parseSettings({ ...env, NODE_ENV: isProduction ? 'production' : 'development' }, OPTIONS);
}

/** Returns the path, such as `database.url`, and the value of every option. */
function pathsOf(options: SettingsOptions): (readonly [path: string, value: unknown])[] {
  return Object.entries<unknown>({ ...options }).flatMap(([name, value]) => {
    if (!isSettingsGroup(name)) return [[name, value] as const];
    return Object.entries<unknown>({ ...(value as object | undefined) }).map(
      ([member, memberValue]) => [`${name}.${member}`, memberValue] as const,
    );
  });
}

/**
 * Returns whether a value is a list with an entry that contains a comma, which its variable could
 * not represent.
 */
function hasComma(value: unknown): boolean {
  const entries: unknown[] = value instanceof Set ? [...value] : Array.isArray(value) ? value : [];
  return entries.some((entry) => String(entry).includes(','));
}

/** Returns the value of an option as the text of its variable. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.join(',');
  // An empty set turns the endpoint off. An empty text would count as unset.
  if (value instanceof Set) return value.size === 0 ? 'off' : [...value].join(',');
  // The value is the contact of the API description. Its variable contains only the address.
  if (typeof value === 'object') return Object.values(value).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
