import {
  anyText,
  audienceList,
  cookieName,
  hostName,
  logLevel,
  onOrOff,
  rollout,
  wholeNumber,
} from './setting-forms.js';
import { Setting } from './setting.decorator.js';
import type { LogLevel, RolloutSetting } from './settings.js';
import { postgresUrl, postgresUrls, publicUrl, redisUrl, webUrl } from './url-forms.js';

const LARGEST_PORT = 65_535;
/** The contract's deadline (section 8): it may be lowered, never raised. */
const CONTRACT_DEADLINE_MS = 8_000;

/**
 * The environment as the process found it, one property for each setting, with its default. A property
 * without an initial value is unset by default.
 */
export class EnvironmentDto {
  @Setting(anyText) NODE_ENV?: string;

  @Setting(hostName) HOST = '127.0.0.1';
  /** 0 lets the system choose a free port. */
  @Setting(wholeNumber(0, LARGEST_PORT)) PORT = 3000;
  @Setting(publicUrl) PUBLIC_URL?: string;
  @Setting(onOrOff) MCP = false;
  @Setting(hostName) MANAGEMENT_HOST = '127.0.0.1';
  @Setting(wholeNumber(0, LARGEST_PORT)) MANAGEMENT_PORT?: number;

  @Setting(postgresUrl) DATABASE_URL?: string;
  @Setting(postgresUrl) DATABASE_READER_URL?: string;
  @Setting(postgresUrl) DATABASE_ASSISTANT_URL?: string;
  @Setting(postgresUrls) DATABASE_REPLICA_URLS?: readonly string[];
  @Setting(onOrOff) DATABASE_NAMED_STATEMENTS = true;
  @Setting(wholeNumber(1, 1_000)) DATABASE_POOL_SIZE = 10;

  @Setting(redisUrl) REDIS_URL?: string;

  @Setting(webUrl) AUTH_ISSUER?: string;
  @Setting(audienceList) AUTH_AUDIENCE?: readonly string[];
  @Setting(webUrl) AUTH_JWKS_URL?: string;
  @Setting(webUrl) AUTH_AUTHORIZATION_URL?: string;
  @Setting(webUrl) AUTH_TOKEN_URL?: string;
  @Setting(onOrOff) DEVELOPMENT_ISSUER = false;
  @Setting(cookieName) SESSION_COOKIE = '__Host-session';

  @Setting(rollout) ROLLOUT_LIST: RolloutSetting = 'on';
  @Setting(rollout) ROLLOUT_GET: RolloutSetting = 'on';
  /** Has no effect unless MCP is on. */
  @Setting(rollout) ROLLOUT_MCP: RolloutSetting = 'on';

  @Setting(wholeNumber(1, CONTRACT_DEADLINE_MS)) REQUEST_DEADLINE_MS = CONTRACT_DEADLINE_MS;
  @Setting(wholeNumber(1, 1_000_000)) READ_RATE_LIMIT = 120;
  @Setting(wholeNumber(1, 3_600)) READ_RATE_WINDOW_SECONDS = 60;
  @Setting(wholeNumber(0, 60_000)) FEED_MARGIN_MS = 1_000;
  @Setting(wholeNumber(1, 600_000)) SHUTDOWN_GRACE_MS = 10_000;
  @Setting(logLevel) LOG_LEVEL: LogLevel = 'info';
}
