import { EnvironmentReader, type WrongSetting } from './environment-reader.js';
import * as form from './setting-parsers.js';

export type { LogLevel, RolloutSetting } from './setting-parsers.js';

/** Everything the environment decides, checked and frozen: each property names its variable, form and default. */
export class Settings extends EnvironmentReader {
  readonly isProduction = this.read('NODE_ENV', form.isProductionEnv, false);

  readonly host = this.read('HOST', form.hostName, '127.0.0.1');
  /** 0 lets the system choose a free port. */
  readonly port = this.read('PORT', form.port, 3000);
  /** The base of absolute URLs, by default the loopback address listened on. Undefined: not known; never with MCP. */
  readonly publicUrl = this.read('PUBLIC_URL', form.publicUrl) ?? loopbackUrl(this.host, this.port);
  /** Whether `/mcp` is served. */
  readonly hasMcp = this.read('MCP', form.onOrOff, false);
  /** Where the metrics are served. */
  readonly managementHost = this.read('MANAGEMENT_HOST', form.hostName, '127.0.0.1');
  /** Undefined: no metrics are served. */
  readonly managementPort = this.read('MANAGEMENT_PORT', form.port);

  readonly database = {
    /** The primary. Needed, unless both reading logins have addresses. */
    url: this.read('DATABASE_URL', form.postgresUrl),
    /** Login roles of the two reading pools. Undefined: `url`, switched to the reading roles. */
    readerUrl: this.read('DATABASE_READER_URL', form.postgresUrl),
    assistantUrl: this.read('DATABASE_ASSISTANT_URL', form.postgresUrl),
    /** A read replica of deal data, or one address of several; never asked for sign-in. */
    replicaUrl: this.read('DATABASE_REPLICA_URL', form.postgresUrl),
    hasNamedStatements: this.read('DATABASE_NAMED_STATEMENTS', form.onOrOff, true),
    /** Connections per pool. */
    poolSize: this.read('DATABASE_POOL_SIZE', form.wholeNumber(1, 1_000), 10),
  } as const;

  /** Shared rate-limit counters. Undefined: counters of this process. */
  readonly redisUrl = this.read('REDIS_URL', form.redisUrl);

  /** The OAuth 2.0 issuer whose access tokens are accepted. Undefined: the local development issuer. */
  readonly issuer = this.readAllOrNone({
    issuer: ['AUTH_ISSUER', form.webUrl],
    /** A token must be for one of these. */
    audiences: ['AUTH_AUDIENCE', form.audienceList],
    jwksUrl: ['AUTH_JWKS_URL', form.webUrl],
  });
  /** Where an assistant's client obtains access tokens: only shown. Undefined: the API description names no flow. */
  readonly authorizationEndpoints = this.readAllOrNone({
    authorizationUrl: ['AUTH_AUTHORIZATION_URL', form.webUrl],
    tokenUrl: ['AUTH_TOKEN_URL', form.webUrl],
  });
  /** The development issuer may be used where HOST is not a loopback address. */
  readonly isDevelopmentIssuerPublic = this.read('DEVELOPMENT_ISSUER', form.onOrOff, false);
  /** Name of the website's session cookie. */
  readonly sessionCookie = this.read('SESSION_COOKIE', form.cookieName, '__Host-session');

  /** By flag. Flags of `ROLLOUT_*` variables besides the service's own are there only where they are set. */
  readonly rollout: Readonly<Record<string, form.RolloutSetting>> = {
    list: this.read('ROLLOUT_LIST', form.rollout, 'on'),
    get: this.read('ROLLOUT_GET', form.rollout, 'on'),
    /** Has no effect unless MCP is on. */
    mcp: this.read('ROLLOUT_MCP', form.rollout, 'on'),
    ...this.readOthers('ROLLOUT_', form.rollout),
  };

  /** The contract's deadline (section 8): it may be lowered, never raised. */
  readonly requestDeadlineMs = this.read('REQUEST_DEADLINE_MS', form.wholeNumber(1, 8_000), 8_000);
  readonly readRate = {
    limit: this.read('READ_RATE_LIMIT', form.wholeNumber(1, 1_000_000), 120),
    windowSeconds: this.read('READ_RATE_WINDOW_SECONDS', form.wholeNumber(1, 3_600), 60),
  } as const;
  /** How far `Service-As-Of` stays behind the read. */
  readonly feedMarginMs = this.read('FEED_MARGIN_MS', form.wholeNumber(0, 60_000), 1_000);
  readonly shutdownGraceMs = this.read('SHUTDOWN_GRACE_MS', form.wholeNumber(1, 600_000), 10_000);
  readonly logLevel = this.read('LOG_LEVEL', form.logLevel, 'info');

  constructor(env: NodeJS.ProcessEnv) {
    super(env);
    this.assertUsable(conflictsOf(this));
    deepFreeze(this);
  }
}

export type DatabaseOptions = Settings['database'];

/**
 * Nothing else reads the environment of the process; an empty value counts as unset.
 * @throws {SettingsError} with one line for each setting that does not parse or contradicts another.
 */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return new Settings(env);
}

/** Path of the MCP endpoint. */
export const MCP_PATH = '/mcp';

/** The audiences of access tokens that open `/mcp`; none when it is not served. */
export function mcpAudiences({ hasMcp, publicUrl }: Settings): readonly string[] {
  return hasMcp && publicUrl !== undefined ? [publicUrl, publicUrl + MCP_PATH] : [];
}

/** The loopback address listened on; undefined when it is none, or its port is not known beforehand. */
function loopbackUrl(host: string, port: number): string | undefined {
  if (!form.isLoopback(host) || port === 0) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function* conflictsOf(settings: Settings): Generator<WrongSetting> {
  const { issuer, hasMcp, host, port, managementPort } = settings;
  const { url, readerUrl, assistantUrl, replicaUrl } = settings.database;
  if ((readerUrl === undefined) !== (assistantUrl === undefined)) {
    const missing = readerUrl === undefined ? 'DATABASE_READER_URL' : 'DATABASE_ASSISTANT_URL';
    yield [missing, 'to be set, because the logins of both pools go together'];
  }
  if (replicaUrl && url === undefined && readerUrl === undefined) {
    yield ['DATABASE_URL', 'to be set, because DATABASE_REPLICA_URL is a server beside it'];
  }
  if (issuer === undefined) {
    const expected = 'to be set, with AUTH_AUDIENCE and AUTH_JWKS_URL,';
    if (settings.isProduction) {
      yield ['AUTH_ISSUER', `${expected} unless NODE_ENV is unset, development or test`];
    } else if (!settings.isDevelopmentIssuerPublic && !form.isLoopback(host)) {
      const allowed = 'DEVELOPMENT_ISSUER=on allows the development issuer there';
      yield ['AUTH_ISSUER', `${expected} when HOST is not a loopback address (${allowed})`];
    }
  }
  if (managementPort && managementPort === port) {
    yield ['MANAGEMENT_PORT', 'a port other than PORT'];
  }
  if (hasMcp && settings.publicUrl === undefined) {
    const when = 'when HOST is not a loopback address or PORT is 0';
    yield ['PUBLIC_URL', `to be set with MCP=on, ${when}`];
  } else if (hasMcp && issuer) {
    const accepted = mcpAudiences(settings);
    if (!issuer.audiences.some((audience) => accepted.includes(audience))) {
      const list = 'as one of its audiences separated by commas';
      yield ['AUTH_AUDIENCE', `to hold PUBLIC_URL or PUBLIC_URL/mcp with MCP=on, ${list}`];
    }
  }
}

function deepFreeze(value: object): void {
  for (const part of Object.values(value) as unknown[]) {
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  }
  Object.freeze(value);
}
