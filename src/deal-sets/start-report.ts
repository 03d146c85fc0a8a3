import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { PACKAGE_VERSION } from '../config/package-version.js';
import { Settings, type RolloutSetting } from '../config/settings.js';
import type { Statement } from '../database/cancellable-reader.js';
import { DatabaseHealth } from '../database/database-health.js';
import { EARLIER_VERSION_REMEDY, NOT_UTF8_REMEDY } from '../database/unusable-database.js';
import { ConnectionLostError } from '../database/driver-errors.js';
import { ReadDatabase } from '../database/read-database.js';
import { OTHER_OUTPUT_SETTINGS } from '../database/session-settings.js';
import { EndpointRegistry } from '../endpoint/endpoint-registry.js';
import type { PrincipalType } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { errorFields } from '../observability/error-fields.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { InProcessStorage } from '../rate-limit/in-process-storage.js';
import { RateLimitStorage } from '../rate-limit/rate-limit-storage.js';
import { RedisStorage } from '../rate-limit/redis-storage.js';
import { Rollout } from '../rollout/rollout.js';
import { SettingsRollout } from '../rollout/settings-rollout.js';
import { DEAL_SETS_ROUTES } from './deal-sets.endpoints.js';

const SERVER: Statement<{ readonly serverVersion: string; readonly role: string }> = {
  name: 'start_report',
  text: `SELECT current_setting('server_version') AS "serverVersion", current_user::text AS role`,
};

const DATABASE_REASONS = {
  not_utf8: NOT_UTF8_REMEDY,
  database_unreachable: 'database unreachable, responding with 503: check',
  earlier_version: EARLIER_VERSION_REMEDY,
  migrations_pending: 'database schema out of date, responding with 503: run `deal-sets migrate`',
  roles_missing:
    'roles or grants missing on the database server, responding with 503: run `deal-sets migrate`',
} as const;

/**
 * Logs at each start what the application runs with. The version, the storage that counts requests,
 * the endpoints and the database have one line each. If assistants cannot read, there is an error,
 * and if a prefix moves the paths of the contract, a warning. No line contains a secret or an id.
 * The start does not wait for the database, so the application also starts while it is down.
 *
 * Two other classes log what they find when they first contact their server: `IssuerStart`
 * (`src/auth`) logs the issuer and its keys, and `RedisStartCheck` (`src/rate-limit`) that
 * Redis does not respond. `docs/operations/run.md` lists the lines of all three.
 */
@Injectable()
export class StartReport implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #stop = new AbortController();

  constructor(
    private readonly settings: Settings,
    private readonly logger: ServiceLogger,
    private readonly health: DatabaseHealth,
    private readonly database: ReadDatabase,
    private readonly endpoints: EndpointRegistry,
    private readonly rollout: Rollout,
    private readonly storage: RateLimitStorage,
    private readonly application: ApplicationConfig,
    private readonly limits: TimeLimits,
  ) {}

  onApplicationBootstrap(): void {
    this.logger.log({ msg: 'deal sets', version: PACKAGE_VERSION });
    this.logger.log({ msg: countersOf(this.storage) });
    this.logger.log({ msg: 'endpoints', rollout: this.#endpoints() });
    if (this.#isMoved()) {
      const msg =
        'a prefix moves the paths of the contract: exclude DEAL_SETS_ROUTES in setGlobalPrefix';
      this.logger.warn({ msg, prefix: this.application.getGlobalPrefix() });
    }
    void this.#reportDatabase();
  }

  /** Runs before the connections are closed, so that a start that fails reports no loss of them. */
  onModuleDestroy(): void {
    this.#stop.abort();
  }

  /** Returns whether the application has a global prefix that also applies to the two reads. */
  #isMoved(): boolean {
    const { exclude = [] } = this.application.getGlobalPrefixOptions();
    const isExcluded = (path: string): boolean =>
      exclude.some(({ pathRegex }) => pathRegex.test(path));
    return this.application.getGlobalPrefix() !== '' && !DEAL_SETS_ROUTES.every(isExcluded);
  }

  /** Describes the flags: `list on, get 2 buyers, mcp off`. */
  #endpoints(): string {
    const declared = this.endpoints.flags;
    if (!(this.rollout instanceof SettingsRollout)) {
      return `${[...declared].join(', ')}: decided by the provider of Rollout`;
    }
    const { rollout } = this.settings;
    const flags = new Set([...Object.keys(rollout), ...declared]);
    return [...flags]
      .map((flag) => {
        const setting = Object.hasOwn(rollout, flag) ? rollout[flag] : undefined;
        if (declared.has(flag)) return `${flag} ${stateOf(setting)}`;
        // Without MCP, nothing declares its flag.
        return flag === 'mcp' ? 'mcp off' : `${flag} ${stateOf(setting)} (no such endpoint)`;
      })
      .join(', ');
  }

  async #reportDatabase(): Promise<void> {
    const { reason, failure, needsRebuild } = await this.health.check();
    if (this.#isStopped()) return;
    if (reason) {
      const fields = failure === undefined ? {} : errorFields(failure);
      const remedy = reason === 'database_unreachable' ? ` ${this.#addressSetting('session')}` : '';
      this.logger.error({ msg: `${DATABASE_REASONS[reason]}${remedy}`, reason, ...fields });
      return;
    }
    const [server, replica] = await Promise.all([
      this.#server(),
      this.#replicaState(),
      this.#checkReads('session'),
      this.#checkReads('assistant'),
    ]);
    if (this.#isStopped()) return;
    const migrations = needsRebuild ? 'applied, rebuild pending' : 'applied';
    this.logger.log({ msg: 'database', ...server, migrations, replica });
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #server(): Promise<object> {
    const rows = await withTimeLimit(this.limits.healthCheckMs, this.#stop.signal, (signal) =>
      this.database.signIn.query(SERVER, [], signal),
    ).catch(() => []);
    return { ...rows[0] };
  }

  /** Returns the setting with the login that a principal type reads with. */
  #addressSetting(type: PrincipalType): string {
    const { readerUrl, assistantUrl } = this.settings.database;
    const [setting, url] =
      type === 'assistant'
        ? (['DATABASE_ASSISTANT_URL', assistantUrl] as const)
        : (['DATABASE_READER_URL', readerUrl] as const);
    return url === undefined ? 'DATABASE_URL' : setting;
  }

  /**
   * Reads once with a login. Readiness reads only with that of the session: without the reads of
   * assistants, buyers are still served. Defaults of a login or of the database can change how
   * values are written in responses.
   */
  async #checkReads(type: PrincipalType): Promise<void> {
    try {
      const others = await withTimeLimit(this.limits.healthCheckMs, this.#stop.signal, (signal) =>
        this.database.read(type, signal, (node) => node.query(OTHER_OUTPUT_SETTINGS, [], signal)),
      );
      if (others.length === 0 || this.#isStopped()) return;
      const names = others.map(({ name }) => name).join(', ');
      const msg = `the login of ${this.#addressSetting(type)} has other settings than the reading roles (${names}): run deploy/logins.sql`;
      this.logger.error({ msg });
    } catch (error) {
      // A slow server is no mistake in the settings. A login of the session that cannot read is
      // reported by the health check.
      if (!(error instanceof ConnectionLostError) || this.#isStopped() || type === 'session')
        return;
      const msg = `assistants cannot read, responding to them with 503: check ${this.#addressSetting(type)}`;
      this.logger.error({ msg, ...errorFields(error) });
    }
  }

  /** Reads once where deal data is read. */
  async #replicaState(): Promise<string> {
    if (this.settings.database.replicaUrl === undefined) return 'none';
    const isInUse = await withTimeLimit(this.limits.healthCheckMs, this.#stop.signal, (signal) =>
      this.database.read('session', signal, async (node) => {
        await node.query(SERVER, [], signal);
        return node.isReplica;
      }),
    ).catch(() => false);
    return isInUse ? 'in use' : 'unreachable, the primary serves its reads';
  }
}

/** Describes where requests are counted. */
function countersOf(storage: RateLimitStorage): string {
  if (storage instanceof RedisStorage) return 'redis configured';
  if (storage instanceof InProcessStorage) return 'no redis: this process counts alone';
  return 'request counts: kept by the provider of RateLimitStorage';
}

function stateOf(setting: RolloutSetting | undefined): string {
  if (setting === undefined) return 'off (not set)';
  if (typeof setting === 'string') return setting;
  return setting.size === 1 ? '1 buyer' : `${setting.size} buyers`;
}
