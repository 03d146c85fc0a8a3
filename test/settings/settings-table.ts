import { SettingsError } from '../../src/config/environment-reader.js';
import { loadSettings } from '../../src/config/settings.js';

/** A buyer's id in upper case. */
export const BUYER = '0B7C8A1E-54D3-4F6B-9E0A-1C2D3E4F5A6B';
/** The same id as the settings return it. */
export const ANNA = BUYER.toLowerCase();
/** The variables of an issuer. */
export const ISSUER = {
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'deal-sets',
  AUTH_JWKS_URL: 'https://issuer.example/jwks',
};

export const OAUTH_ENDPOINT = 'https://issuer.example/oauth';

/** Returns the lines of the error for these variables; none when they are accepted. */
export function errorLinesFor(env: NodeJS.ProcessEnv): readonly string[] {
  return errorLinesOf(() => loadSettings(env));
}

/** Returns the lines of the error that `load` throws; none when it accepts the settings. */
export function errorLinesOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}

/**
 * The variable of each setting, its path, its default, a valid text, and the parsed value if that
 * differs from the text.
 */
export const SETTINGS: readonly (readonly [string, string, unknown, string, unknown?])[] = [
  ['NODE_ENV', 'isProduction', false, 'production', true],
  ['HOST', 'host', '127.0.0.1', '::'],
  ['PORT', 'port', 3000, '0', 0],
  ['PUBLIC_URL', 'publicUrl', 'http://127.0.0.1:3000', 'https://a.example'],
  ['MCP', 'hasMcp', false, 'on', true],
  [
    'CORS_ORIGINS',
    'corsOrigins',
    [],
    'https://a.example, http://localhost:5173',
    ['https://a.example', 'http://localhost:5173'],
  ],
  ['API_DOCS', 'hasApiDocs', true, 'off', false],
  ['API_CONTACT', 'apiContact.url', undefined, 'https://a.example/developers'],
  ['MANAGEMENT_HOST', 'managementHost', '127.0.0.1', '10.0.0.5'],
  ['MANAGEMENT_PORT', 'managementPort', undefined, '0', 0],
  ['DATABASE_URL', 'database.url', undefined, 'postgres://writer:secret@db/x'],
  ['DATABASE_READER_URL', 'database.readerUrl', undefined, 'postgres://reader@db/x'],
  ['DATABASE_ASSISTANT_URL', 'database.assistantUrl', undefined, 'postgresql://assistant@db/x'],
  ['DATABASE_REPLICA_URL', 'database.replicaUrl', undefined, 'postgres://r1/x'],
  ['DATABASE_NAMED_STATEMENTS', 'database.hasNamedStatements', true, 'off', false],
  ['DATABASE_POOL_SIZE', 'database.poolSize', 10, '4', 4],
  ['REDIS_URL', 'redisUrl', undefined, 'rediss://cache:6379'],
  ['AUTH_ISSUER', 'issuer.issuer', undefined, ISSUER.AUTH_ISSUER],
  [
    'AUTH_AUDIENCE',
    'issuer.audiences',
    undefined,
    'a, https://a.example',
    ['a', 'https://a.example'],
  ],
  ['AUTH_JWKS_URL', 'issuer.jwksUrl', undefined, ISSUER.AUTH_JWKS_URL],
  ['AUTH_AUTHORIZATION_URL', 'authorizationEndpoints.authorizationUrl', undefined, OAUTH_ENDPOINT],
  ['AUTH_TOKEN_URL', 'authorizationEndpoints.tokenUrl', undefined, OAUTH_ENDPOINT],
  ['DEVELOPMENT_ISSUER', 'isDevelopmentIssuerPublic', false, 'on', true],
  ['SESSION_COOKIE', 'sessionCookie', '__Host-session', 'sid'],
  ['ROLLOUT_LIST', 'rollout.list', 'on', 'off'],
  ['ROLLOUT_GET', 'rollout.get', 'on', `${BUYER}, ${ANNA}`, new Set([ANNA])],
  ['ROLLOUT_MCP', 'rollout.mcp', 'on', 'off'],
  ['REQUEST_DEADLINE_MS', 'requestDeadlineMs', 8000, '300', 300],
  ['READ_RATE_LIMIT', 'readRate.limit', 120, '5', 5],
  ['READ_RATE_WINDOW_SECONDS', 'readRate.windowSeconds', 60, '2', 2],
  ['FEED_MARGIN_MS', 'feedMarginMs', 1000, '0', 0],
  ['SHUTDOWN_DELAY_MS', 'shutdownDelayMs', 0, '5000', 5000],
  ['SHUTDOWN_GRACE_MS', 'shutdownGraceMs', 10_000, '500', 500],
  ['LOG_LEVEL', 'logLevel', 'info', 'debug'],
];

/** Files that hold a secret. The setting of a file with an address has the path of the address. */
export const PASSWORD_FILES = [
  ['DATABASE_PASSWORD_FILE', 'database.passwordFile', 'DATABASE_URL'],
  ['DATABASE_READER_PASSWORD_FILE', 'database.readerPasswordFile', 'DATABASE_READER_URL'],
  ['DATABASE_ASSISTANT_PASSWORD_FILE', 'database.assistantPasswordFile', 'DATABASE_ASSISTANT_URL'],
  ['DATABASE_REPLICA_PASSWORD_FILE', 'database.replicaPasswordFile', 'DATABASE_REPLICA_URL'],
] as const;

/** Valid settings to which one wrong setting is added. */
export const VALID_SETTINGS = {
  ...ISSUER,
  DATABASE_URL: 'postgres://db/x',
  DATABASE_READER_URL: 'postgres://r@db/x',
  DATABASE_ASSISTANT_URL: 'postgres://a@db/x',
};
