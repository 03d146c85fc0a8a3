import {
  audienceList,
  cookieName,
  demandsRealIssuer,
  hostName,
  logLevel,
  onOrOff,
  port,
  postgresUrl,
  publicUrl,
  redisUrl,
  rollout,
  webUrl,
  wholeNumber,
  type LogLevel,
  type RolloutSetting,
} from './setting-forms.js';
import { Setting, SettingGroup } from './setting.decorator.js';

export type { LogLevel, RolloutSetting };

/** The contract's deadline (section 8): it may be lowered, never raised. */
const CONTRACT_DEADLINE_MS = 8_000;

/** The OAuth 2.0 issuer whose access tokens are accepted. */
export class IssuerSettings {
  @Setting('AUTH_ISSUER', webUrl) readonly issuer!: string;
  /** A token must be for one of these. */
  @Setting('AUTH_AUDIENCE', audienceList) readonly audiences!: readonly string[];
  @Setting('AUTH_JWKS_URL', webUrl) readonly jwksUrl!: string;
}

/** Where an assistant's client obtains access tokens; only shown in the API description. */
export class AuthorizationEndpoints {
  @Setting('AUTH_AUTHORIZATION_URL', webUrl) readonly authorizationUrl!: string;
  @Setting('AUTH_TOKEN_URL', webUrl) readonly tokenUrl!: string;
}

export class DatabaseSettings {
  /** The primary. Needed, unless both reading logins have addresses. */
  @Setting('DATABASE_URL', postgresUrl) readonly url: string | undefined;
  /** Login roles of the two reading pools. Undefined: `url`, switched to the reading roles. */
  @Setting('DATABASE_READER_URL', postgresUrl) readonly readerUrl: string | undefined;
  @Setting('DATABASE_ASSISTANT_URL', postgresUrl) readonly assistantUrl: string | undefined;
  /** A read replica of deal data, or one address of several; never asked for sign-in. */
  @Setting('DATABASE_REPLICA_URL', postgresUrl) readonly replicaUrl: string | undefined;
  @Setting('DATABASE_NAMED_STATEMENTS', onOrOff) readonly hasNamedStatements: boolean = true;
  /** Connections per pool. */
  @Setting('DATABASE_POOL_SIZE', wholeNumber(1, 1_000)) readonly poolSize: number = 10;
}

/** The same as plain data. */
export type DatabaseOptions = { readonly [K in keyof DatabaseSettings]: DatabaseSettings[K] };

/** By flag. Flags of `ROLLOUT_*` variables besides the service's own are there only where they are set. */
export class RolloutSettings {
  readonly [flag: string]: RolloutSetting;
  @Setting('ROLLOUT_LIST', rollout) readonly list: RolloutSetting = 'on';
  @Setting('ROLLOUT_GET', rollout) readonly get: RolloutSetting = 'on';
  /** Has no effect unless MCP is on. */
  @Setting('ROLLOUT_MCP', rollout) readonly mcp: RolloutSetting = 'on';
}

export class ReadRateSettings {
  @Setting('READ_RATE_LIMIT', wholeNumber(1, 1_000_000)) readonly limit: number = 120;
  @Setting('READ_RATE_WINDOW_SECONDS', wholeNumber(1, 3_600)) readonly windowSeconds: number = 60;
}

/**
 * Everything the environment decides, checked and frozen when the process starts: each property names its
 * variable, its form and its default.
 */
export class Settings {
  @Setting('NODE_ENV', demandsRealIssuer) readonly isProduction: boolean = false;

  @Setting('HOST', hostName) readonly host: string = '127.0.0.1';
  /** 0 lets the system choose a free port. */
  @Setting('PORT', port) readonly port: number = 3000;
  /**
   * Scheme, host and port under which clients reach the service: the base of absolute URLs.
   * Default: the loopback address listened on. Undefined: not known, which `hasMcp` excludes.
   */
  @Setting('PUBLIC_URL', publicUrl) readonly publicUrl: string | undefined;
  /** Whether `/mcp` is served. */
  @Setting('MCP', onOrOff) readonly hasMcp: boolean = false;
  /** Where the metrics are served. */
  @Setting('MANAGEMENT_HOST', hostName) readonly managementHost: string = '127.0.0.1';
  /** Port of the metrics. Undefined: no metrics are served. */
  @Setting('MANAGEMENT_PORT', port) readonly managementPort: number | undefined;

  @SettingGroup(DatabaseSettings) readonly database!: DatabaseSettings;

  /** Shared rate-limit counters. Undefined: counters of this process. */
  @Setting('REDIS_URL', redisUrl) readonly redisUrl: string | undefined;

  /** Undefined: the local development issuer. */
  @SettingGroup(IssuerSettings, 'all or none') readonly issuer: IssuerSettings | undefined;
  /** Undefined: the API description names no OAuth flow. */
  @SettingGroup(AuthorizationEndpoints, 'all or none')
  readonly authorizationEndpoints: AuthorizationEndpoints | undefined;
  /** The development issuer may be used where HOST is not a loopback address. */
  @Setting('DEVELOPMENT_ISSUER', onOrOff) readonly isDevelopmentIssuerPublic: boolean = false;
  /** Name of the website's session cookie. */
  @Setting('SESSION_COOKIE', cookieName) readonly sessionCookie: string = '__Host-session';

  @SettingGroup(RolloutSettings) readonly rollout!: RolloutSettings;

  @Setting('REQUEST_DEADLINE_MS', wholeNumber(1, CONTRACT_DEADLINE_MS))
  readonly requestDeadlineMs: number = CONTRACT_DEADLINE_MS;
  @SettingGroup(ReadRateSettings) readonly readRate!: ReadRateSettings;
  /** How far `Service-As-Of` stays behind the read. */
  @Setting('FEED_MARGIN_MS', wholeNumber(0, 60_000)) readonly feedMarginMs: number = 1_000;
  @Setting('SHUTDOWN_GRACE_MS', wholeNumber(1, 600_000)) readonly shutdownGraceMs: number = 10_000;
  @Setting('LOG_LEVEL', logLevel) readonly logLevel: LogLevel = 'info';
}

/** Path of the MCP endpoint. */
export const MCP_PATH = '/mcp';

/** The audiences of access tokens that open `/mcp`; none when it is not served. */
export function mcpAudiences({
  hasMcp,
  publicUrl,
}: Pick<Settings, 'hasMcp' | 'publicUrl'>): readonly string[] {
  return hasMcp && publicUrl !== undefined ? [publicUrl, publicUrl + MCP_PATH] : [];
}
