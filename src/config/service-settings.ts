import * as z from 'zod';
import {
  checkSettings,
  environmentSource,
  optionsSource,
  type Conflict,
  type SettingsSource,
} from './check-settings.js';
import { isLoopback } from './setting-parsers.js';
import { tokenOf } from './settings-token.js';
import { SERVER_SETTINGS, SETTINGS } from './settings-table.js';
import {
  conflictsOf,
  withProductionDefault,
  withRedisUrl,
  type Settings,
  type SettingsOptions,
} from './settings.js';

/** The path of the documentation page, which `hasApiDocs` switches on. */
export const DOCS_PATH = '/api/v1/docs';

/** The settings of the standalone application's server as typed options. */
export interface ServerOptions extends z.input<typeof SERVER_SETTINGS> {}

/** The settings of the standalone application's server, checked and frozen. */
export interface ServerSettings extends z.output<typeof SERVER_SETTINGS> {}
/** Nest's token for the settings of the server. */
export const ServerSettings = tokenOf('ServerSettings') as abstract new () => ServerSettings;

/** The settings of the standalone application: of the module, and of the server. */
export interface ServiceSettings {
  readonly settings: Settings;
  readonly server: ServerSettings;
}

const SERVICE_SETTINGS = z.strictObject({
  settings: SETTINGS.prefault({}),
  server: SERVER_SETTINGS.prefault({}),
});
type Values = z.output<typeof SERVICE_SETTINGS>;

/**
 * Reads all settings of the standalone application from the environment and checks them. No other
 * code reads the environment of the process.
 *
 * @throws {SettingsError} with one line for each setting that is not valid or contradicts another.
 *   It names the variable and what is expected, never a value.
 */
export function loadServiceSettings(env: NodeJS.ProcessEnv = process.env): ServiceSettings {
  return serviceSettingsFrom(environmentSource(SERVICE_SETTINGS, env));
}

/**
 * Checks the options `settings` and `server`: typed options, or what `loadServiceSettings`
 * returned.
 *
 * @throws {SettingsError} with one line for each option that is unknown, is not valid or
 *   contradicts another. The line begins with the path, such as `server.port`.
 */
export function serviceSettingsFromOptions(
  settings: SettingsOptions,
  server: ServerOptions = {},
): ServiceSettings {
  return serviceSettingsFrom(optionsSource({ settings: withProductionDefault(settings), server }));
}

function serviceSettingsFrom(source: SettingsSource): ServiceSettings {
  const { settings, server } = checkSettings(SERVICE_SETTINGS, source, (values, nameOf) =>
    serviceConflictsOf(withPublicUrl(values), nameOf),
  );
  return { settings: withRedisUrl(withPublicUrl({ settings, server }).settings), server };
}

/** Returns the settings with the loopback address of the service if `publicUrl` is not set. */
function withPublicUrl({ settings, server }: Values): Values {
  const { host, port } = server;
  if (settings.publicUrl !== undefined || !isLoopback(host) || port === 0) {
    return { settings, server };
  }
  const publicUrl = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { settings: { ...settings, publicUrl }, server };
}

function* serviceConflictsOf(
  { settings, server }: Values,
  nameOf: (path: string) => string,
): Generator<Conflict> {
  yield* conflictsOf(settings, nameOf);
  const { host, port, managementPort, isDevelopmentIssuerPublic } = server;
  const needsIssuer = settings.issuer === undefined && !settings.isProduction;
  if (needsIssuer && !isDevelopmentIssuerPublic && !isLoopback(host)) {
    const together = `to be set, with ${nameOf('settings.issuer.audiences')}`;
    const name = nameOf('server.isDevelopmentIssuerPublic');
    const when = `when ${nameOf('server.host')} is not a loopback address`;
    yield ['settings.issuer.issuer', `${together}, ${when} (or ${name} to be on)`];
  }
  if (managementPort !== undefined && managementPort !== 0 && managementPort === port) {
    yield ['server.managementPort', `a port other than ${nameOf('server.port')}`];
  }
}
