import { CONTRACT_DEADLINE_MS } from '../kernel/deadline.js';
import { EnvironmentReader, readableFile, type WrongSetting } from './environment-reader.js';
import { setOrigin } from './settings-origin.js';
import * as parsers from './setting-parsers.js';
import type { ApiContact, LogLevel, RolloutSetting } from './setting-parsers.js';
import {
  PLAIN_ENVIRONMENT,
  prefixedEnvironment,
  withoutPrefix,
  type SettingsSource,
} from './settings-source.js';

export type { ApiContact, LogLevel, RolloutSetting } from './setting-parsers.js';

/** The addresses of the database, and options of its connections. */
export interface DatabaseOptions {
  /** The address of the primary. It is required unless both reading logins have addresses. */
  readonly url: string | undefined;
  /**
   * The address with the login role for the session's reads. If undefined, the login in `url` is
   * used and switches to the session's reading role.
   */
  readonly readerUrl: string | undefined;
  /**
   * The address with the login role for the assistants' reads. If undefined, the login in `url` is
   * used and switches to the assistants' reading role.
   */
  readonly assistantUrl: string | undefined;
  /**
   * A read replica for deal data, or a proxy in front of several replicas. It is never used for
   * sign-in.
   */
  readonly replicaUrl: string | undefined;
  /**
   * The files that contain the passwords for the addresses above. An address with such a file must
   * not contain a password. A file is read each time a connection is opened.
   */
  readonly passwordFile: string | undefined;
  readonly readerPasswordFile: string | undefined;
  readonly assistantPasswordFile: string | undefined;
  readonly replicaPasswordFile: string | undefined;
  /** Whether statements are prepared by name. */
  readonly hasNamedStatements: boolean;
  /** Connections per pool for deal data. The size of the sign-in pool is fixed. */
  readonly poolSize: number;
}

/** The OAuth 2.0 issuer whose access tokens are accepted. */
export interface IssuerOptions {
  /** The issuer's identifier. It is compared with the `iss` claim character by character. */
  readonly issuer: string;
  /** A token must be issued for one of these. */
  readonly audiences: readonly string[];
  /** The address of the key set. Default: the address in the issuer's metadata. */
  readonly jwksUrl: string | undefined;
}

/**
 * The endpoints at which an assistant's client obtains access tokens. They are used only in the API
 * description.
 */
export interface AuthorizationEndpoints {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
}

/** The rate limit of the service: the number of requests that a principal may send in a window. */
export interface ReadRate {
  readonly limit: number;
  readonly windowSeconds: number;
}

/**
 * The settings of the service, checked and frozen. `loadSettings` and `createSettings` return them.
 */
export abstract class Settings {
  abstract readonly isProduction: boolean;
  abstract readonly host: string;
  /** 0 lets the system choose a free port. */
  abstract readonly port: number;
  /**
   * The base of absolute URLs. By default, it is the loopback address on which the service listens.
   * If the base is not known, it is undefined, but when MCP is on, it is always known.
   */
  abstract readonly publicUrl: string | undefined;
  /** Whether `/mcp` is served. */
  abstract readonly hasMcp: boolean;
  /** Exact origins whose pages may call the service with a bearer token. */
  abstract readonly corsOrigins: readonly string[];
  /** Whether the API description is served, as a page and as JSON. */
  abstract readonly hasApiDocs: boolean;
  /** The contact for questions about the API. If undefined, the API description has none. */
  abstract readonly apiContact: ApiContact | undefined;
  /** The host on which the metrics are served. */
  abstract readonly managementHost: string;
  /** The port on which the metrics are served. If undefined, they are not served. */
  abstract readonly managementPort: number | undefined;
  abstract readonly database: DatabaseOptions;
  /** The Redis server with shared rate-limit counters. If undefined, each process counts alone. */
  abstract readonly redisUrl: string | undefined;
  /** The issuer of access tokens. If undefined, the development issuer is used. */
  abstract readonly issuer: IssuerOptions | undefined;
  /** Default: the endpoints in the issuer's metadata. */
  abstract readonly authorizationEndpoints: AuthorizationEndpoints | undefined;
  /** Whether the development issuer may be used even if `HOST` is not a loopback address. */
  abstract readonly isDevelopmentIssuerPublic: boolean;
  /** Name of the website's session cookie. */
  abstract readonly sessionCookie: string;
  /**
   * The rollout settings by flag. A flag of a host application has an entry only if its `ROLLOUT_*`
   * variable is set.
   */
  abstract readonly rollout: Readonly<Record<string, RolloutSetting>>;
  /**
   * The deadline of a request in milliseconds. It may be lower than the contract's (section 8), but
   * not higher.
   */
  abstract readonly requestDeadlineMs: number;
  abstract readonly readRate: ReadRate;
  /** The minimum time by which `Service-As-Of` is normally behind the read, in milliseconds. */
  abstract readonly feedMarginMs: number;
  /** How long the service accepts new connections after a stop has begun, in milliseconds. */
  abstract readonly shutdownDelayMs: number;
  /**
   * How long a stop may take after `shutdownDelayMs`, in milliseconds. When this time is over, the
   * process ends even if the stop has not finished.
   */
  abstract readonly shutdownGraceMs: number;
  abstract readonly logLevel: LogLevel;
}

/** How `loadSettings` reads an environment. */
export interface LoadOptions {
  /**
   * The prefix of every variable name except `NODE_ENV`, such as `DEAL_SETS_`, for an environment
   * that also contains variables of a host application. Variables without the prefix are not read.
   * Default: none.
   */
  readonly prefix?: string;
}

/**
 * Reads the settings from the environment and checks them. No other code reads the environment of
 * the process.
 *
 * @throws {SettingsError} with one line for each setting that is not valid or contradicts another.
 */
export function loadSettings(
  env: NodeJS.ProcessEnv = process.env,
  { prefix = '' }: LoadOptions = {},
): Settings {
  if (prefix === '') return parseSettings(env);
  return parseSettings(withoutPrefix(env, prefix), prefixedEnvironment(prefix));
}

/**
 * Parses the settings of the service. Defines the variable, the parser and the default of each.
 *
 * @param env the values, by the variable names in `.env.example`.
 * @param source where the values come from. Error messages use its names for the settings.
 * @throws {SettingsError} with one line for each setting that does not parse or contradicts
 *   another.
 */
export function parseSettings(
  env: NodeJS.ProcessEnv,
  source: SettingsSource = PLAIN_ENVIRONMENT,
): Settings {
  const reader = new EnvironmentReader(env, source.nameOf);
  const host = reader.read('HOST', parsers.hostName, '127.0.0.1');
  const port = reader.read('PORT', parsers.port, 3000);
  const publicUrl = reader.read('PUBLIC_URL', parsers.publicUrl);
  const { isShared } = source;
  const flags = reader.readByPrefix('ROLLOUT_', parsers.rollout, SERVICE_ROLLOUT_NAMES, isShared);
  const settings: Settings = {
    isProduction: reader.read('NODE_ENV', parsers.isProductionEnv, false),
    host,
    port,
    publicUrl: publicUrl ?? loopbackUrl(host, port),
    hasMcp: reader.read('MCP', parsers.onOrOff, false),
    corsOrigins: reader.read('CORS_ORIGINS', parsers.originList, []),
    hasApiDocs: reader.read('API_DOCS', parsers.onOrOff, true),
    apiContact: reader.read('API_CONTACT', parsers.apiContact),
    managementHost: reader.read('MANAGEMENT_HOST', parsers.hostName, '127.0.0.1'),
    managementPort: reader.read('MANAGEMENT_PORT', parsers.port),
    database: {
      url: reader.readSecret('DATABASE_URL', parsers.postgresUrl),
      readerUrl: reader.readSecret('DATABASE_READER_URL', parsers.postgresUrl),
      assistantUrl: reader.readSecret('DATABASE_ASSISTANT_URL', parsers.postgresUrl),
      replicaUrl: reader.readSecret('DATABASE_REPLICA_URL', parsers.postgresUrl),
      passwordFile: reader.read('DATABASE_PASSWORD_FILE', readableFile),
      readerPasswordFile: reader.read('DATABASE_READER_PASSWORD_FILE', readableFile),
      assistantPasswordFile: reader.read('DATABASE_ASSISTANT_PASSWORD_FILE', readableFile),
      replicaPasswordFile: reader.read('DATABASE_REPLICA_PASSWORD_FILE', readableFile),
      hasNamedStatements: reader.read('DATABASE_NAMED_STATEMENTS', parsers.onOrOff, true),
      poolSize: reader.read('DATABASE_POOL_SIZE', parsers.wholeNumber(1, 1_000), 10),
    },
    redisUrl: reader.readSecret('REDIS_URL', parsers.redisUrl),
    issuer: reader.readAllOrNone<IssuerOptions>(
      {
        issuer: ['AUTH_ISSUER', parsers.webUrl],
        audiences: ['AUTH_AUDIENCE', parsers.audienceList],
        jwksUrl: ['AUTH_JWKS_URL', parsers.webUrl],
      },
      ['AUTH_JWKS_URL'],
    ),
    authorizationEndpoints: reader.readAllOrNone<AuthorizationEndpoints>({
      authorizationUrl: ['AUTH_AUTHORIZATION_URL', parsers.webUrl],
      tokenUrl: ['AUTH_TOKEN_URL', parsers.webUrl],
    }),
    isDevelopmentIssuerPublic: reader.read('DEVELOPMENT_ISSUER', parsers.onOrOff, false),
    sessionCookie: reader.read('SESSION_COOKIE', parsers.cookieName, '__Host-session'),
    rollout: {
      list: reader.read('ROLLOUT_LIST', parsers.rollout, 'on'),
      get: reader.read('ROLLOUT_GET', parsers.rollout, 'on'),
      // Has no effect unless MCP is on.
      mcp: reader.read('ROLLOUT_MCP', parsers.rollout, 'on'),
      ...flags.values,
    },
    requestDeadlineMs: reader.read(
      'REQUEST_DEADLINE_MS',
      parsers.wholeNumber(1, CONTRACT_DEADLINE_MS),
      CONTRACT_DEADLINE_MS,
    ),
    readRate: {
      limit: reader.read('READ_RATE_LIMIT', parsers.wholeNumber(1, 1_000_000), 120),
      windowSeconds: reader.read('READ_RATE_WINDOW_SECONDS', parsers.wholeNumber(1, 3_600), 60),
    },
    feedMarginMs: reader.read('FEED_MARGIN_MS', parsers.wholeNumber(0, 60_000), 1_000),
    shutdownDelayMs: reader.read('SHUTDOWN_DELAY_MS', parsers.wholeNumber(0, 600_000), 0),
    shutdownGraceMs: reader.read('SHUTDOWN_GRACE_MS', parsers.wholeNumber(1, 600_000), 10_000),
    logLevel: reader.read('LOG_LEVEL', parsers.logLevel, 'info'),
  };
  reader.assertValid(conflictsOf(settings, source));
  // The prototype marks settings as checked, for `DealSetsModule`.
  Object.setPrototypeOf(settings, Settings.prototype);
  setOrigin(settings, {
    source,
    isPublicUrlSet: publicUrl !== undefined,
    invalidFlags: flags.invalid,
    unknownVariables: isShared ? [] : reader.unreadVariables,
  });
  return deepFreeze(settings);
}

/** Variables of the service's own flags. */
const SERVICE_ROLLOUT_NAMES = ['ROLLOUT_LIST', 'ROLLOUT_GET', 'ROLLOUT_MCP'];

/** Path of the documentation page. */
export const DOCS_PATH = '/api/v1/docs';
/** Path of the MCP endpoint. */
export const MCP_PATH = '/mcp';

/** Returns the audiences of access tokens for `/mcp`; empty when it is not served. */
export function mcpAudiences({ hasMcp, publicUrl }: Settings): readonly string[] {
  return hasMcp && publicUrl !== undefined ? [publicUrl, publicUrl + MCP_PATH] : [];
}

/**
 * Returns the loopback address on which the service listens; undefined for another host, or when
 * the system chooses the port.
 */
function loopbackUrl(host: string, port: number): string | undefined {
  if (!parsers.isLoopback(host) || port === 0) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function* conflictsOf(
  settings: Settings,
  { nameOf, developmentMode }: SettingsSource,
): Generator<WrongSetting> {
  const { issuer, hasMcp, host, port, managementPort } = settings;
  const { url, readerUrl, assistantUrl, replicaUrl } = settings.database;
  if ((readerUrl === undefined) !== (assistantUrl === undefined)) {
    const missing = readerUrl === undefined ? 'DATABASE_READER_URL' : 'DATABASE_ASSISTANT_URL';
    yield [nameOf(missing), 'to be set, because the logins of both pools go together'];
  }
  if (replicaUrl && url === undefined && readerUrl === undefined) {
    const replica = nameOf('DATABASE_REPLICA_URL');
    yield [nameOf('DATABASE_URL'), `to be set, because ${replica} does not replace it`];
  }
  yield* passwordConflictsOf(settings.database, nameOf);
  if (issuer === undefined) {
    const expected = `to be set, with ${nameOf('AUTH_AUDIENCE')},`;
    if (settings.isProduction) {
      yield [nameOf('AUTH_ISSUER'), `${expected} unless ${developmentMode}`];
    } else if (!settings.isDevelopmentIssuerPublic && !parsers.isLoopback(host)) {
      const allowed = `${nameOf('DEVELOPMENT_ISSUER')}=on allows the development issuer there`;
      const when = `when ${nameOf('HOST')} is not a loopback address (${allowed})`;
      yield [nameOf('AUTH_ISSUER'), `${expected} ${when}`];
    }
  }
  if (managementPort && managementPort === port) {
    yield [nameOf('MANAGEMENT_PORT'), `a port other than ${nameOf('PORT')}`];
  }
  const publicUrl = nameOf('PUBLIC_URL');
  const mcpIsOn = `${nameOf('MCP')}=on`;
  if (hasMcp && settings.publicUrl === undefined) {
    const when = `when ${nameOf('HOST')} is not a loopback address or ${nameOf('PORT')} is 0`;
    yield [publicUrl, `to be set with ${mcpIsOn}, ${when}`];
  } else if (hasMcp && issuer) {
    const accepted = mcpAudiences(settings);
    if (!issuer.audiences.some((audience) => accepted.includes(audience))) {
      const expected = `to contain ${publicUrl} or ${publicUrl}/mcp with ${mcpIsOn}`;
      const list = 'as one of its audiences separated by commas';
      yield [nameOf('AUTH_AUDIENCE'), `${expected}, ${list}`];
    }
  }
}

/**
 * Reports passwords that are in both an address and a file, password files without an address, and
 * a replica password file that is set together with reading logins.
 */
function* passwordConflictsOf(
  database: DatabaseOptions,
  nameOf: SettingsSource['nameOf'],
): Generator<WrongSetting> {
  const { readerUrl, assistantUrl, replicaPasswordFile } = database;
  const logins = [
    ['DATABASE_URL', database.url, 'DATABASE_PASSWORD_FILE', database.passwordFile],
    [
      'DATABASE_READER_URL',
      readerUrl,
      'DATABASE_READER_PASSWORD_FILE',
      database.readerPasswordFile,
    ],
    [
      'DATABASE_ASSISTANT_URL',
      assistantUrl,
      'DATABASE_ASSISTANT_PASSWORD_FILE',
      database.assistantPasswordFile,
    ],
    [
      'DATABASE_REPLICA_URL',
      database.replicaUrl,
      'DATABASE_REPLICA_PASSWORD_FILE',
      replicaPasswordFile,
    ],
  ] as const;
  for (const [urlName, url, fileName, file] of logins) {
    if (file === undefined) continue;
    if (url === undefined) {
      yield [
        nameOf(urlName),
        `to be set, because ${nameOf(fileName)} contains the password for it`,
      ];
    } else if (new URL(url).password !== '') {
      const reason = `because ${nameOf(fileName)} contains it`;
      yield [nameOf(urlName), `an address without a password, ${reason}`];
    }
  }
  if (replicaPasswordFile !== undefined && readerUrl !== undefined) {
    const readers = `${nameOf('DATABASE_READER_URL')} and ${nameOf('DATABASE_ASSISTANT_URL')}`;
    const expected = `to be unset, because ${readers} are the logins of the replica`;
    yield [nameOf('DATABASE_REPLICA_PASSWORD_FILE'), expected];
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const property of Object.values(value) as unknown[]) {
    if (typeof property === 'object' && property !== null) deepFreeze(property);
  }
  return Object.freeze(value);
}
