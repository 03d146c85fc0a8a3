/** The endpoint is on for every buyer, off for every buyer, or on for the named ones. */
export type RolloutSetting = 'on' | 'off' | ReadonlySet<string>;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The OAuth 2.0 issuer whose access tokens are accepted. */
export interface IssuerSettings {
  readonly issuer: string;
  /** A token must be for one of these. */
  readonly audiences: readonly string[];
  readonly jwksUrl: string;
}

/** Where an assistant's client obtains access tokens; only shown in the API description. */
export interface AuthorizationEndpoints {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
}

export interface DatabaseSettings {
  /** PostgreSQL of the writers. Undefined: the embedded PostgreSQL, whose address is known once it runs. */
  readonly url: string | undefined;
  /** Login roles of the two reading pools. Undefined: `url`, switched to the reading roles. */
  readonly readerUrl: string | undefined;
  readonly assistantUrl: string | undefined;
  /** Read replicas of deal data; never asked for sign-in. */
  readonly replicaUrls: readonly string[];
  readonly hasNamedStatements: boolean;
  /** Connections per pool. */
  readonly poolSize: number;
}

/** Everything the environment decides, checked and frozen when the process starts. */
export abstract class Settings {
  abstract readonly isProduction: boolean;
  abstract readonly host: string;
  abstract readonly port: number;
  /**
   * Scheme, host and port under which clients reach the service: what absolute addresses are made of.
   * Undefined: not known, which `hasMcp` excludes.
   */
  abstract readonly publicUrl: string | undefined;
  /** Whether `/mcp` is served. */
  abstract readonly hasMcp: boolean;
  abstract readonly database: DatabaseSettings;
  /** Shared rate-limit counters. Undefined: counters of this process. */
  abstract readonly redisUrl: string | undefined;
  /** Undefined: the local development issuer. */
  abstract readonly issuer: IssuerSettings | undefined;
  /** Undefined: the API description names no OAuth flow. */
  abstract readonly authorizationEndpoints: AuthorizationEndpoints | undefined;
  /** Name of the website's session cookie. */
  abstract readonly sessionCookie: string;
  /** By flag. Flags of `ROLLOUT_*` variables besides the service's own are there only where they are set. */
  abstract readonly rollout: Readonly<Record<string, RolloutSetting>>;
  abstract readonly requestDeadlineMs: number;
  abstract readonly readRate: { readonly limit: number; readonly windowSeconds: number };
  /** How far `Service-As-Of` stays behind the read. */
  abstract readonly feedMarginMs: number;
  abstract readonly shutdownGraceMs: number;
  abstract readonly logLevel: LogLevel;
  /** Where the metrics are served. */
  abstract readonly managementHost: string;
  /** Port of the metrics. Undefined: no metrics are served. */
  abstract readonly managementPort: number | undefined;
}
