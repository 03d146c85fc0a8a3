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
} from './setting-parsers.js';

/** The metadata of a setting's schema, which makes it a row of the tables below. */
export interface SettingRow {
  /** The environment variable; a host application may add a prefix. */
  readonly variable: string;
  /** One or more sentences for `.env.example` and the operations guide. */
  readonly meaning: string;
}

const DATABASE = z
  .strictObject({
    url: postgresUrl.optional().meta({
      variable: 'DATABASE_URL',
      meaning:
        'The PostgreSQL database (15 or newer), with a login that may write, such as postgres://user@host:5432/deal_sets. For TLS, add parameters to every database address: …/deal_sets?sslmode=verify-full&sslrootcert=/path/of/ca.pem. Required, except for a service with both reading logins. To try the service without a database: npm run demo.',
    }),
    readerUrl: postgresUrl.optional().meta({
      variable: 'DATABASE_READER_URL',
      meaning:
        "The address with the login for the session's reads. Set both reading logins or neither; a pooler requires them. Unset: DATABASE_URL, switched to the roles deal_sets_reader and deal_sets_assistant that `migrate` creates.",
    }),
    assistantUrl: postgresUrl.optional().meta({
      variable: 'DATABASE_ASSISTANT_URL',
      meaning: "The address with the login for the assistants' reads.",
    }),
    replicaUrl: postgresUrl.optional().meta({
      variable: 'DATABASE_REPLICA_URL',
      meaning:
        'A read replica, or the one address of several replicas behind a proxy. It serves deal data, never sign-in. While it cannot be reached, the primary serves its reads. With reading logins, the service connects to it with their names and passwords.',
    }),
    passwordFile: readableFile.optional().meta({
      variable: 'DATABASE_PASSWORD_FILE',
      meaning:
        'A file with the password of DATABASE_URL, which then contains no password. Each new connection reads it, so the password can change while the service runs.',
    }),
    readerPasswordFile: readableFile.optional().meta({
      variable: 'DATABASE_READER_PASSWORD_FILE',
      meaning: 'The same for DATABASE_READER_URL.',
    }),
    assistantPasswordFile: readableFile.optional().meta({
      variable: 'DATABASE_ASSISTANT_PASSWORD_FILE',
      meaning: 'The same for DATABASE_ASSISTANT_URL.',
    }),
    replicaPasswordFile: readableFile.optional().meta({
      variable: 'DATABASE_REPLICA_PASSWORD_FILE',
      meaning: 'The same for DATABASE_REPLICA_URL, if there are no reading logins.',
    }),
    hasNamedStatements: onOrOff.prefault(true).meta({
      variable: 'DATABASE_NAMED_STATEMENTS',
      meaning: '"off" if a pooler does not support prepared statements (PgBouncer before 1.21).',
    }),
    poolSize: wholeNumber(1, 1_000).prefault(10).meta({
      variable: 'DATABASE_POOL_SIZE',
      meaning:
        'Connections per pool for deal data, 1 to 1000. The size of the sign-in pool is fixed.',
    }),
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
    issuer: webUrl.meta({
      variable: 'AUTH_ISSUER',
      meaning:
        'The OAuth 2.0 issuer whose access tokens are accepted. It is compared with the claim `iss` character by character. Set AUTH_ISSUER and AUTH_AUDIENCE or neither; plain http is allowed only for loopback hosts. Unset: a local development issuer, whose key is in .data/ of the working directory; production needs a real issuer, unless an application provides its own AssistantAuthenticator.',
    }),
    audiences: audienceList.meta({
      variable: 'AUTH_AUDIENCE',
      meaning:
        'The audiences of access tokens for the API, separated by commas. A token must be for one of them.',
    }),
    jwksUrl: webUrl.optional().meta({
      variable: 'AUTH_JWKS_URL',
      meaning:
        "The address of the issuer's keys. Unset: the address in the issuer's metadata (RFC 8414 or OpenID Connect).",
    }),
    tokenType: tokenType.prefault(RFC_9068.tokenType).meta({
      variable: 'AUTH_TOKEN_TYPE',
      meaning:
        '"any" also accepts tokens whose `typ` is JWT or absent, for an issuer that does not mark access tokens. See "Tokens of other issuers".',
    }),
    clientClaim: claimName.prefault(RFC_9068.clientClaim).meta({
      variable: 'AUTH_CLIENT_CLAIM',
      meaning:
        'The claim with the id of the assistant, such as azp, cid or appid. A token with `act` is that of `act.sub`.',
    }),
    scopeClaim: claimName
      .prefault(RFC_9068.scopeClaim)
      .meta({ variable: 'AUTH_SCOPE_CLAIM', meaning: 'The claim with the scopes, such as scp.' }),
    buyerClaim: claimName.prefault(RFC_9068.buyerClaim).meta({
      variable: 'AUTH_BUYER_CLAIM',
      meaning:
        'The claim with the id of the buyer, a UUID. Nobody but the issuer may be able to choose its value.',
    }),
  })
  .readonly();

const AUTHORIZATION_ENDPOINTS = z
  .strictObject({
    authorizationUrl: webUrl.meta({
      variable: 'AUTH_AUTHORIZATION_URL',
      meaning:
        "Where clients ask for a buyer's approval. Set AUTH_AUTHORIZATION_URL and AUTH_TOKEN_URL or neither. Only shown in the API description and on its page.",
    }),
    tokenUrl: webUrl.meta({
      variable: 'AUTH_TOKEN_URL',
      meaning: 'Where clients obtain access tokens.',
    }),
  })
  .readonly();

const READ_RATE = z
  .strictObject({
    limit: wholeNumber(1, 1_000_000).prefault(120).meta({
      variable: 'READ_RATE_LIMIT',
      meaning:
        'The contract\'s rate class "read": how many requests a principal may send in a window. Change it only in tests.',
    }),
    windowSeconds: wholeNumber(1, 3_600).prefault(60).meta({
      variable: 'READ_RATE_WINDOW_SECONDS',
      meaning: 'The length of that window in seconds. Change it only in tests.',
    }),
  })
  .readonly();

const ROLLOUT = z
  .object({
    list: rollout.prefault('on').meta({
      variable: 'ROLLOUT_LIST',
      meaning:
        'The buyers for whom the list is turned on: on, off, or buyer ids separated by commas.',
    }),
    get: rollout
      .prefault('on')
      .meta({ variable: 'ROLLOUT_GET', meaning: 'The same for a single deal set.' }),
    mcp: rollout
      .prefault('on')
      .meta({ variable: 'ROLLOUT_MCP', meaning: 'The same for /mcp, if MCP is on.' }),
  })
  .catchall(
    rollout.meta({
      variable: 'ROLLOUT_<FLAG>',
      meaning:
        "The same for a host application's own endpoint, by its flag. A flag that is not set is off.",
    }),
  )
  .readonly();

/** The settings of the module, one row each. */
export const SETTINGS = z
  .strictObject({
    isProduction: isProductionEnv.prefault(false).meta({
      variable: 'NODE_ENV',
      meaning:
        'Unset, "development" or "test" allow the development issuer. Any other value requires a real issuer (AUTH_*).',
    }),
    publicUrl: publicUrl.optional().meta({
      variable: 'PUBLIC_URL',
      meaning:
        'The address under which clients reach the service, such as https://api.example.com, or https://example.com/deals if a proxy removes the path prefix. Unset: the loopback address that the service listens on. Required with MCP=on if there is no such address.',
    }),
    hasMcp: onOrOff.prefault(false).meta({
      variable: 'MCP',
      meaning:
        '"on" serves /mcp to assistants. Its tokens are for PUBLIC_URL or PUBLIC_URL/mcp, whatever AUTH_AUDIENCE is.',
    }),
    corsOrigins: originList.prefault([]).meta({
      variable: 'CORS_ORIGINS',
      meaning:
        'Exact origins of pages, apps and browser extensions that may call the API with a bearer token, separated by commas, such as https://app.example.com or capacitor://localhost. They can never use cookies. Unset: other origins cannot call the API.',
    }),
    database: DATABASE.prefault({}),
    redisUrl: redisUrl.optional().meta({
      variable: 'REDIS_URL',
      meaning:
        'Rate-limit counters that several instances share, such as redis://host:6379, or rediss://host:6379 with TLS. Unset: each process counts alone.',
    }),
    redisUrlFile: readableFile.optional().meta({
      variable: 'REDIS_URL_FILE',
      meaning:
        'A file that contains the address in place of REDIS_URL. It is read once, at the start.',
    }),
    issuer: ISSUER.optional(),
    authorizationEndpoints: AUTHORIZATION_ENDPOINTS.optional(),
    sessionCookie: cookieName
      .prefault('__Host-session')
      .meta({ variable: 'SESSION_COOKIE', meaning: "The name of the website's session cookie." }),
    rollout: ROLLOUT.prefault({}),
    requestDeadlineMs: wholeNumber(1, CONTRACT_DEADLINE_MS).prefault(CONTRACT_DEADLINE_MS).meta({
      variable: 'REQUEST_DEADLINE_MS',
      meaning: "The contract's deadline in milliseconds, 1 to 8000. Lower it only for tests.",
    }),
    readRate: READ_RATE.prefault({}),
    feedMarginMs: wholeNumber(0, 60_000).prefault(1_000).meta({
      variable: 'FEED_MARGIN_MS',
      meaning: 'How far Service-As-Of stays behind the time of the read, in milliseconds.',
    }),
  })
  .readonly();

/** The settings that have an effect only in the standalone application, one row each. */
export const SERVER_SETTINGS = z
  .strictObject({
    host: hostName
      .prefault('127.0.0.1')
      .meta({ variable: 'HOST', meaning: 'The host on which the API listens.' }),
    port: port.prefault(3_000).meta({
      variable: 'PORT',
      meaning: 'The port on which the API listens. 0 selects a free port.',
    }),
    hasApiDocs: onOrOff.prefault(true).meta({
      variable: 'API_DOCS',
      meaning:
        '"off" serves neither the API description (/api/v1/openapi.json) nor its page (/api/v1/docs).',
    }),
    apiContact: apiContact.optional().meta({
      variable: 'API_CONTACT',
      meaning:
        'Where developers ask about the API: an https address or an e-mail address, shown in the API description.',
    }),
    managementHost: hostName.prefault('127.0.0.1').meta({
      variable: 'MANAGEMENT_HOST',
      meaning: 'The host on which the metrics are served, never a public address.',
    }),
    managementPort: port.optional().meta({
      variable: 'MANAGEMENT_PORT',
      meaning:
        'The port on which Prometheus metrics are served at /metrics. Unset: they are not served.',
    }),
    isDevelopmentIssuerPublic: onOrOff.prefault(false).meta({
      variable: 'DEVELOPMENT_ISSUER',
      meaning: '"on" allows the development issuer even if HOST is not a loopback address.',
    }),
    shutdownDelayMs: wholeNumber(0, 600_000).prefault(0).meta({
      variable: 'SHUTDOWN_DELAY_MS',
      meaning:
        'How long a service that is stopping still accepts new connections, in milliseconds. Meanwhile readiness is 503 and responses have "Connection: close". Set it to the time that load balancers need to remove an instance.',
    }),
    shutdownGraceMs: wholeNumber(1, 600_000).prefault(10_000).meta({
      variable: 'SHUTDOWN_GRACE_MS',
      meaning:
        'The hard limit of a stop, in milliseconds after that delay. The stop ends earlier once the responses in flight are sent.',
    }),
    logLevel: logLevel.prefault('info').meta({
      variable: 'LOG_LEVEL',
      meaning:
        "fatal, error, warn, info, debug, trace or silent. Nest's log and verbose count as info and trace.",
    }),
  })
  .readonly();
