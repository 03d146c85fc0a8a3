import type {
  AuthorizationEndpoints,
  DatabaseOptions,
  IssuerOptions,
  ReadRate,
  Settings,
} from './settings.js';

type VariablesOf<Group> = { readonly [Name in keyof Group]: string };

/** The members of `Settings` that are objects, with the variable of each nested member. */
const GROUPS = {
  database: {
    url: 'DATABASE_URL',
    readerUrl: 'DATABASE_READER_URL',
    assistantUrl: 'DATABASE_ASSISTANT_URL',
    replicaUrl: 'DATABASE_REPLICA_URL',
    passwordFile: 'DATABASE_PASSWORD_FILE',
    readerPasswordFile: 'DATABASE_READER_PASSWORD_FILE',
    assistantPasswordFile: 'DATABASE_ASSISTANT_PASSWORD_FILE',
    replicaPasswordFile: 'DATABASE_REPLICA_PASSWORD_FILE',
    hasNamedStatements: 'DATABASE_NAMED_STATEMENTS',
    poolSize: 'DATABASE_POOL_SIZE',
  } satisfies VariablesOf<DatabaseOptions>,
  issuer: {
    issuer: 'AUTH_ISSUER',
    audiences: 'AUTH_AUDIENCE',
    jwksUrl: 'AUTH_JWKS_URL',
  } satisfies VariablesOf<IssuerOptions>,
  authorizationEndpoints: {
    authorizationUrl: 'AUTH_AUTHORIZATION_URL',
    tokenUrl: 'AUTH_TOKEN_URL',
  } satisfies VariablesOf<AuthorizationEndpoints>,
  readRate: {
    limit: 'READ_RATE_LIMIT',
    windowSeconds: 'READ_RATE_WINDOW_SECONDS',
  } satisfies VariablesOf<ReadRate>,
};

/** The other members, each with its variable. */
const SINGLE_VARIABLES: VariablesOf<Omit<Settings, keyof typeof GROUPS | 'rollout'>> = {
  isProduction: 'NODE_ENV',
  host: 'HOST',
  port: 'PORT',
  publicUrl: 'PUBLIC_URL',
  hasMcp: 'MCP',
  corsOrigins: 'CORS_ORIGINS',
  hasApiDocs: 'API_DOCS',
  apiContact: 'API_CONTACT',
  managementHost: 'MANAGEMENT_HOST',
  managementPort: 'MANAGEMENT_PORT',
  redisUrl: 'REDIS_URL',
  isDevelopmentIssuerPublic: 'DEVELOPMENT_ISSUER',
  sessionCookie: 'SESSION_COOKIE',
  requestDeadlineMs: 'REQUEST_DEADLINE_MS',
  feedMarginMs: 'FEED_MARGIN_MS',
  shutdownDelayMs: 'SHUTDOWN_DELAY_MS',
  shutdownGraceMs: 'SHUTDOWN_GRACE_MS',
  logLevel: 'LOG_LEVEL',
};

const ROLLOUT_PATH = 'rollout.';
const ROLLOUT_VARIABLE = 'ROLLOUT_';

const VARIABLES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SINGLE_VARIABLES),
  ...Object.entries(GROUPS).flatMap(([group, variables]) =>
    Object.entries(variables).map(([name, variable]): [string, string] => [
      `${group}.${name}`,
      variable,
    ]),
  ),
]);
const PATHS: ReadonlyMap<string, string> = new Map(
  [...VARIABLES].map(([path, variable]) => [variable, path]),
);

/** Returns whether a member of `Settings` is an object with a variable for each nested member. */
export function isSettingsGroup(name: string): boolean {
  return Object.hasOwn(GROUPS, name) || name === 'rollout';
}

/**
 * Returns the variable of a setting by its path, such as `database.url`; undefined for an unknown
 * setting.
 */
export function variableOf(path: string): string | undefined {
  if (!path.startsWith(ROLLOUT_PATH)) return VARIABLES.get(path);
  return ROLLOUT_VARIABLE + path.slice(ROLLOUT_PATH.length).toUpperCase();
}

/** Returns the path, such as `database.url`, of the setting that a variable sets. */
export function pathOf(variable: string): string {
  if (!variable.startsWith(ROLLOUT_VARIABLE)) return PATHS.get(variable) ?? variable;
  return ROLLOUT_PATH + variable.slice(ROLLOUT_VARIABLE.length).toLowerCase();
}

/** Returns the value of the setting that a variable sets. */
export function settingOf(settings: Settings, variable: string): unknown {
  return pathOf(variable)
    .split('.')
    .reduce<unknown>(
      (value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name],
      settings,
    );
}
