import {
  Injectable,
  type CanActivate,
  type ExecutionContext,
  type OnModuleInit,
} from '@nestjs/common';
import { SettingsError } from '../config/environment-reader.js';
import { Settings } from '../config/settings.js';
import { policyOf } from '../endpoint/endpoint-policy.js';
import { EndpointRegistry } from '../endpoint/endpoint-registry.js';
import { principalOf, requestSignal } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { Rollout } from './rollout.js';

/** A flag that takes longer to read counts as off. */
const FLAG_LIMIT_MS = 500;
/** Flags of the service's own: their settings have defaults, also in an application without their endpoints. */
const SHIPPED = ['list', 'get', 'mcp'];

/** Asks the rollout port. Only a plain "yes" in time opens an endpoint. */
@Injectable()
export class RolloutCheck implements OnModuleInit {
  constructor(
    private readonly rollout: Rollout,
    private readonly settings: Settings,
    private readonly registry: EndpointRegistry,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /** @throws {SettingsError} for a `ROLLOUT_*` variable that no endpoint declares: it is misspelt. */
  onModuleInit(): void {
    const variableOf = (flag: string): string => `ROLLOUT_${flag.toUpperCase()}`;
    const { flags } = this.registry;
    const known = [...flags].map(variableOf).sort().join(', ');
    const lines = Object.keys(this.settings.rollout)
      .filter((flag) => !flags.has(flag) && !SHIPPED.includes(flag))
      .map((flag) => `${variableOf(flag)}: expected a declared flag (${known})`);
    if (lines.length > 0) throw new SettingsError(lines);
  }

  /** @throws {AppError} `not_found` when the flag is off, cannot be read, or is late. */
  async check(flag: string, principal: Principal, signal: AbortSignal): Promise<void> {
    let isOn: unknown;
    try {
      const read = (limit: AbortSignal) => this.rollout.isOn(flag, principal, limit);
      isOn = await withTimeLimit(FLAG_LIMIT_MS, signal, read);
    } catch (error) {
      signal.throwIfAborted();
      this.metrics.rolloutFailures.inc({ endpoint: flag });
      this.log.warn({ flag, ...errorFields(error) }, 'rollout flag lookup failed, endpoint off');
    }
    if (isOn !== true) throw new AppError('not_found');
  }
}

/** Hides an endpoint from callers for whom it is not turned on: they get what an unknown path gets. */
@Injectable()
export class RolloutGuard implements CanActivate {
  constructor(private readonly rollout: RolloutCheck) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const { flag } = policyOf(execution);
    await this.rollout.check(flag, principalOf(execution), requestSignal(execution));
    return true;
  }
}
