import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { EnvironmentDto } from './environment.dto.js';
import { isProduction, publicUrlOf, settingConflicts } from './setting-conflicts.js';
import { settingNames } from './setting.decorator.js';
import { SettingsError } from './settings-error.js';
import { rollout } from './setting-forms.js';
import {
  Settings,
  type AuthorizationEndpoints,
  type IssuerSettings,
  type RolloutSetting,
} from './settings.js';

const ROLLOUT_PREFIX = 'ROLLOUT_';

/**
 * Reads the settings from an environment; an empty value counts as unset.
 *
 * @throws {SettingsError} with one line for each setting that does not parse or contradicts another.
 */
export function loadSettings(env: NodeJS.ProcessEnv): Settings {
  const given = Object.fromEntries(
    [...settingNames].map((name) => [name, env[name]?.trim()] as const).filter(([, text]) => text),
  );
  const environment = plainToInstance(EnvironmentDto, given, {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
  });
  const wrong = validateSync(environment, { forbidUnknownValues: true }).flatMap((error) =>
    Object.values(error.constraints ?? {}),
  );
  const wrongNames = new Set(wrong.map((line) => line.slice(0, line.indexOf(':'))));
  const conflicts = settingConflicts(environment).filter(
    (line) => !wrongNames.has(line.slice(0, line.indexOf(':'))),
  );
  const teams = readTeamFlags(env);
  const lines = [...wrong, ...conflicts, ...teams.wrong];
  if (lines.length > 0) throw new SettingsError(lines);
  return deepFreeze(toSettings(environment, teams.flags));
}

type Flags = Record<string, RolloutSetting>;

/** `ROLLOUT_*` variables beside the service's own. Which flags exist is known once the endpoints are. */
function readTeamFlags(env: NodeJS.ProcessEnv): { flags: Flags; wrong: string[] } {
  const flags: Flags = {};
  const wrong: string[] = [];
  for (const [name, value = ''] of Object.entries(env)) {
    const text = value.trim();
    if (!name.startsWith(ROLLOUT_PREFIX) || settingNames.has(name) || text === '') continue;
    const setting = rollout.parse(text);
    if (name !== name.toUpperCase()) wrong.push(`${name}: expected ${name.toUpperCase()}`);
    else if (setting === undefined) wrong.push(`${name}: expected ${rollout.expected}`);
    else flags[name.slice(ROLLOUT_PREFIX.length).toLowerCase()] = setting;
  }
  return { flags, wrong };
}

function toSettings(environment: EnvironmentDto, teamFlags: Flags): Settings {
  return Object.assign(Object.create(Settings.prototype) as Settings, {
    isProduction: isProduction(environment),
    host: environment.HOST,
    port: environment.PORT,
    publicUrl: publicUrlOf(environment),
    hasMcp: environment.MCP,
    database: {
      url: environment.DATABASE_URL,
      readerUrl: environment.DATABASE_READER_URL,
      assistantUrl: environment.DATABASE_ASSISTANT_URL,
      replicaUrls: environment.DATABASE_REPLICA_URLS ?? [],
      hasNamedStatements: environment.DATABASE_NAMED_STATEMENTS,
      poolSize: environment.DATABASE_POOL_SIZE,
    },
    redisUrl: environment.REDIS_URL,
    issuer: toIssuer(environment),
    authorizationEndpoints: toAuthorizationEndpoints(environment),
    sessionCookie: environment.SESSION_COOKIE,
    rollout: {
      ...teamFlags,
      list: environment.ROLLOUT_LIST,
      get: environment.ROLLOUT_GET,
      mcp: environment.ROLLOUT_MCP,
    },
    requestDeadlineMs: environment.REQUEST_DEADLINE_MS,
    readRate: {
      limit: environment.READ_RATE_LIMIT,
      windowSeconds: environment.READ_RATE_WINDOW_SECONDS,
    },
    feedMarginMs: environment.FEED_MARGIN_MS,
    shutdownGraceMs: environment.SHUTDOWN_GRACE_MS,
    logLevel: environment.LOG_LEVEL,
    managementHost: environment.MANAGEMENT_HOST,
    managementPort: environment.MANAGEMENT_PORT,
  } satisfies Readonly<Settings>);
}

function toIssuer(environment: EnvironmentDto): IssuerSettings | undefined {
  const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audiences, AUTH_JWKS_URL: jwksUrl } = environment;
  return issuer && audiences && jwksUrl ? { issuer, audiences, jwksUrl } : undefined;
}

function toAuthorizationEndpoints({
  AUTH_AUTHORIZATION_URL: authorizationUrl,
  AUTH_TOKEN_URL: tokenUrl,
}: EnvironmentDto): AuthorizationEndpoints | undefined {
  return authorizationUrl && tokenUrl ? { authorizationUrl, tokenUrl } : undefined;
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part))
      deepFreeze(part as object);
  }
  return Object.freeze(value);
}
