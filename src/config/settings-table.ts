import * as z from 'zod';
import { CONTRACT_DEADLINE_MS } from '../kernel/deadline.js';
import {
  apiContact,
  audienceList,
  claimName,
  cookieName,
  hostName,
  isProductionEnv,
  logLevel,
  onOrOff,
  originList,
  port,
  postgresUrl,
  publicUrl,
  readableFile,
  redisUrl,
  rollout,
  tokenType,
  webUrl,
  wholeNumber,
  type SettingParser,
} from './setting-parsers.js';

/** What a row of the table declares about a setting, apart from its type. */
export interface SettingRow extends Omit<SettingParser<unknown>, 'schema'> {
  /** The environment variable; a host application may add a prefix. */
  readonly variable: string;
  /** One or more sentences for `.env.example` and the operations guide. */
  readonly meaning: string;
  /** The default, or undefined if there is none. */
  readonly byDefault?: unknown;
  /** Whether its group is not valid without it. */
  readonly isRequired?: true;
}

/** The row of each setting, by its schema in the tables below. */
export const ROWS = z.registry<SettingRow>();

/** Writes a row: the variable, its parser, the default (undefined: none) and the meaning. */
function setting<T>(
  variable: string,
  parser: SettingParser<T>,
  byDefault: undefined,
  meaning: string,
): z.ZodOptional<z.ZodType<T, T>>;
function setting<T>(
  variable: string,
  parser: SettingParser<T>,
  byDefault: T,
  meaning: string,
): z.ZodPrefault<z.ZodType<T, T>>;
function setting<T>(
  variable: string,
  { schema, ...parser }: SettingParser<T>,
  byDefault: T | undefined,
  meaning: string,
): z.ZodType {
  const row = byDefault === undefined ? schema.optional() : schema.prefault(byDefault);
  ROWS.add(row, { ...parser, variable, meaning, byDefault });
  return row;
}

/** Writes the row of a setting without which its group is not valid. */
function required<T>(
  variable: string,
  { schema, ...parser }: SettingParser<T>,
  meaning: string,
): z.ZodType<T, T> {
  // A copy, because a parser can serve several rows.
  const row = schema.clone();
  ROWS.add(row, { ...parser, variable, meaning, isRequired: true });
  return row;
}

const DATABASE = z
  .strictObject({
    url: setting(
      'DATABASE_URL',
      postgresUrl,
      undefined,
      'The PostgreSQL database (15 or newer), with a login that may write, such as postgres://user@host:5432/deal_sets. For TLS, add parameters to every database address: …/deal_sets?sslmode=verify-full&sslrootcert=/path/of/ca.pem. Required, except for a service with both reading logins. To try the service without a database: npm run demo.',
    ),
    readerUrl: setting(
      'DATABASE_READER_URL',
      postgresUrl,
      undefined,
      "The address with the login for the session's reads. Set both reading logins or neither; a pooler requires them. Unset: DATABASE_URL, switched to the roles deal_sets_reader and deal_sets_assistant that `migrate` creates.",
    ),
    assistantUrl: setting(
      'DATABASE_ASSISTANT_URL',
      postgresUrl,
      undefined,
      "The address with the login for the assistants' reads.",
    ),
    replicaUrl: setting(
      'DATABASE_REPLICA_URL',
      postgresUrl,
      undefined,
      'A read replica, or the one address of several replicas behind a proxy. It serves deal data, never sign-in. While it cannot be reached, the primary serves its reads. With reading logins, the service connects to it with their names and passwords.',
    ),
    passwordFile: setting(
      'DATABASE_PASSWORD_FILE',
      readableFile,
      undefined,
      'A file with the password of DATABASE_URL, which then contains no password. Each new connection reads it, so the password can change while the service runs.',
    ),
    readerPasswordFile: setting(
      'DATABASE_READER_PASSWORD_FILE',
      readableFile,
      undefined,
      'The same for DATABASE_READER_URL.',
    ),
    assistantPasswordFile: setting(
      'DATABASE_ASSISTANT_PASSWORD_FILE',
      readableFile,
      undefined,
      'The same for DATABASE_ASSISTANT_URL.',
    ),
    replicaPasswordFile: setting(
      'DATABASE_REPLICA_PASSWORD_FILE',
      readableFile,
      undefined,
      'The same for DATABASE_REPLICA_URL, if there are no reading logins.',
    ),
    hasNamedStatements: setting(
      'DATABASE_NAMED_STATEMENTS',
      onOrOff,
      true,
      '"off" if a pooler does not support prepared statements (PgBouncer before 1.21).',
    ),
    poolSize: setting(
      'DATABASE_POOL_SIZE',
      wholeNumber(1, 1_000),
      10,
      'Connections per pool for deal data, 1 to 1000. The size of the sign-in pool is fixed.',
    ),
  })
  .readonly();

/** How the access tokens of an issuer are marked, and which of their claims are read. */
export interface TokenFormat {
  readonly tokenType: 'at+jwt' | 'any';
  readonly clientClaim: string;
  readonly scopeClaim: string;
  readonly buyerClaim: string;
}

/** The format of RFC 9068, which is the default. */
export const RFC_9068: TokenFormat = {
  tokenType: 'at+jwt',
  clientClaim: 'client_id',
  scopeClaim: 'scope',
  buyerClaim: 'sub',
};

const ISSUER = z
  .strictObject({
    issuer: required(
      'AUTH_ISSUER',
      webUrl,
      'The OAuth 2.0 issuer whose access tokens are accepted. It is compared with the claim `iss` character by character. Set AUTH_ISSUER and AUTH_AUDIENCE or neither; plain http is allowed only for loopback hosts. Unset: a local development issuer, whose key is in .data/ of the working directory; production needs a real issuer, unless an application provides its own AssistantAuthenticator.',
    ),
    audiences: required(
      'AUTH_AUDIENCE',
      audienceList,
      'The audiences of access tokens, separated by commas. A token must be for one of them.',
    ),
    jwksUrl: setting(
      'AUTH_JWKS_URL',
      webUrl,
      undefined,
      "The address of the issuer's keys. Unset: the address in the issuer's metadata (RFC 8414 or OpenID Connect).",
    ),
    tokenType: setting(
      'AUTH_TOKEN_TYPE',
      tokenType,
      RFC_9068.tokenType,
      '"any" also accepts tokens whose `typ` is JWT or absent, for an issuer that does not mark access tokens. See "Tokens of other issuers".',
    ),
    clientClaim: setting(
      'AUTH_CLIENT_CLAIM',
      claimName,
      RFC_9068.clientClaim,
      'The claim with the id of the assistant, such as azp, cid or appid. A token with `act` is that of `act.sub`.',
    ),
    scopeClaim: setting(
      'AUTH_SCOPE_CLAIM',
      claimName,
      RFC_9068.scopeClaim,
      'The claim with the scopes, such as scp.',
    ),
    buyerClaim: setting(
      'AUTH_BUYER_CLAIM',
      claimName,
      RFC_9068.buyerClaim,
      'The claim with the id of the buyer, a UUID. Nobody but the issuer may be able to choose its value.',
    ),
  })
  .readonly();

const AUTHORIZATION_ENDPOINTS = z
  .strictObject({
    authorizationUrl: required(
      'AUTH_AUTHORIZATION_URL',
      webUrl,
      "Where clients ask for a buyer's approval. Set AUTH_AUTHORIZATION_URL and AUTH_TOKEN_URL or neither. Only shown in the API description. Unset: the addresses in the issuer's metadata, if AUTH_JWKS_URL is unset too.",
    ),
    tokenUrl: required('AUTH_TOKEN_URL', webUrl, 'Where clients obtain access tokens.'),
  })
  .readonly();

const READ_RATE = z
  .strictObject({
    limit: setting(
      'READ_RATE_LIMIT',
      wholeNumber(1, 1_000_000),
      120,
      'The contract\'s rate class "read": how many requests a principal may send in a window. Change it only in tests.',
    ),
    windowSeconds: setting(
      'READ_RATE_WINDOW_SECONDS',
      wholeNumber(1, 3_600),
      60,
      'The length of that window in seconds. Change it only in tests.',
    ),
  })
  .readonly();

const ROLLOUT = z
  .object({
    list: setting(
      'ROLLOUT_LIST',
      rollout,
      'on',
      'The buyers for whom the list is turned on: on, off, or buyer ids separated by commas.',
    ),
    get: setting('ROLLOUT_GET', rollout, 'on', 'The same for a single deal set.'),
    mcp: setting('ROLLOUT_MCP', rollout, 'on', 'The same for /mcp, if MCP is on.'),
  })
  .catchall(
    required(
      'ROLLOUT_<FLAG>',
      rollout,
      "The same for a host application's own endpoint, by its flag. A flag that is not set is off.",
    ),
  )
  .readonly();

/** The settings of the module, one row each. */
export const SETTINGS = z
  .strictObject({
    isProduction: setting(
      'NODE_ENV',
      isProductionEnv,
      false,
      'Unset, "development" or "test" allow the development issuer. Any other value requires a real issuer (AUTH_*).',
    ),
    publicUrl: setting(
      'PUBLIC_URL',
      publicUrl,
      undefined,
      'The address under which clients reach the service, such as https://api.example.com, or https://example.com/deals if a proxy removes the path prefix. Unset: the loopback address that the service listens on. Required with MCP=on if there is no such address.',
    ),
    hasMcp: setting(
      'MCP',
      onOrOff,
      false,
      '"on" serves /mcp to assistants. AUTH_AUDIENCE must then contain PUBLIC_URL or PUBLIC_URL/mcp.',
    ),
    corsOrigins: setting(
      'CORS_ORIGINS',
      originList,
      [],
      'Exact origins of pages, apps and browser extensions that may call the API with a bearer token, separated by commas, such as https://app.example.com or capacitor://localhost. They can never use cookies. Unset: other origins cannot call the API.',
    ),
    database: DATABASE.prefault({}),
    redisUrl: setting(
      'REDIS_URL',
      redisUrl,
      undefined,
      'Rate-limit counters that several instances share, such as redis://host:6379, or rediss://host:6379 with TLS. Unset: each process counts alone.',
    ),
    redisUrlFile: setting(
      'REDIS_URL_FILE',
      readableFile,
      undefined,
      'A file that contains the address in place of REDIS_URL. It is read once, at the start.',
    ),
    issuer: ISSUER.optional(),
    authorizationEndpoints: AUTHORIZATION_ENDPOINTS.optional(),
    sessionCookie: setting(
      'SESSION_COOKIE',
      cookieName,
      '__Host-session',
      "The name of the website's session cookie.",
    ),
    rollout: ROLLOUT.prefault({}),
    requestDeadlineMs: setting(
      'REQUEST_DEADLINE_MS',
      wholeNumber(1, CONTRACT_DEADLINE_MS),
      CONTRACT_DEADLINE_MS,
      "The contract's deadline in milliseconds, 1 to 8000. Lower it only for tests.",
    ),
    readRate: READ_RATE.prefault({}),
    feedMarginMs: setting(
      'FEED_MARGIN_MS',
      wholeNumber(0, 60_000),
      1_000,
      'How far Service-As-Of stays behind the time of the read, in milliseconds.',
    ),
  })
  .readonly();

/** The settings that have an effect only in the standalone application, one row each. */
export const SERVER_SETTINGS = z
  .strictObject({
    host: setting('HOST', hostName, '127.0.0.1', 'The host on which the API listens.'),
    port: setting('PORT', port, 3_000, 'The port on which the API listens. 0 selects a free port.'),
    hasApiDocs: setting(
      'API_DOCS',
      onOrOff,
      true,
      '"off" serves neither the API description (/api/v1/openapi.json) nor its page (/api/v1/docs).',
    ),
    apiContact: setting(
      'API_CONTACT',
      apiContact,
      undefined,
      'Where developers ask about the API: an https address or an e-mail address, shown in the API description.',
    ),
    managementHost: setting(
      'MANAGEMENT_HOST',
      hostName,
      '127.0.0.1',
      'The host on which the metrics are served, never a public address.',
    ),
    managementPort: setting(
      'MANAGEMENT_PORT',
      port,
      undefined,
      'The port on which Prometheus metrics are served at /metrics. Unset: they are not served.',
    ),
    isDevelopmentIssuerPublic: setting(
      'DEVELOPMENT_ISSUER',
      onOrOff,
      false,
      '"on" allows the development issuer even if HOST is not a loopback address.',
    ),
    shutdownDelayMs: setting(
      'SHUTDOWN_DELAY_MS',
      wholeNumber(0, 600_000),
      0,
      'How long a service that is stopping still accepts new connections, in milliseconds. Meanwhile readiness is 503 and responses have "Connection: close". Set it to the time that load balancers need to remove an instance.',
    ),
    shutdownGraceMs: setting(
      'SHUTDOWN_GRACE_MS',
      wholeNumber(1, 600_000),
      10_000,
      'The hard limit of a stop, in milliseconds after that delay. The stop ends earlier once the responses in flight are sent.',
    ),
    logLevel: setting(
      'LOG_LEVEL',
      logLevel,
      'info',
      "fatal, error, warn, info, debug, trace or silent. Nest's log and verbose count as info and trace.",
    ),
  })
  .readonly();
