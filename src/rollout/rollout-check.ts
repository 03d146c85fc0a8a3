import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { callPort } from '../kernel/port.js';
import type { Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { errorFields } from '../observability/error-fields.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { Metrics } from '../observability/metrics.js';
import { Rollout } from './rollout.js';
import { SettingsRollout } from './settings-rollout.js';

/**
 * Evaluates flags with the rollout port. An endpoint is on only if the port returns true within the
 * limit.
 */
@Injectable()
export class RolloutCheck {
  constructor(
    private readonly rollout: Rollout,
    private readonly settings: SettingsRollout,
    private readonly logger: ServiceLogger,
    private readonly metrics: Metrics,
    private readonly limits: TimeLimits,
  ) {}

  /**
   * Checks that a flag is on for a principal. Without a flag, the endpoint is on.
   *
   * @throws {AppError} `not_found` with the flag and the reason, for the log, when the flag is off or
   *   cannot be read in time.
   * @throws the reason of the deadline's signal when the signal is aborted.
   */
  async check(flag: string | undefined, principal: Principal, { signal }: Deadline): Promise<void> {
    if (flag === undefined) return;
    let isOn: unknown;
    try {
      isOn = await this.#isOn(flag, principal, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.metrics.rolloutFailures.inc({ flag });
      this.logger.warn({
        msg: 'rollout flag lookup failed, endpoint off',
        flag,
        ...errorFields(error),
      });
      const offFlag = { flag, reason: 'flag_not_read' } as const;
      throw new AppError('not_found', { cause: error, offFlag });
    }
    if (isOn === true) return;
    const reason = this.#isSet(flag) ? 'flag_off' : 'flag_not_set';
    throw new AppError('not_found', { offFlag: { flag, reason } });
  }

  /** Returns false for a flag that the settings decide and do not contain. */
  #isSet(flag: string): boolean {
    return this.rollout !== this.settings || this.settings.isSet(flag);
  }

  /** The settings are read at once, so only the port of a host application has a time limit. */
  #isOn(flag: string, principal: Principal, signal: AbortSignal): Promise<boolean> | boolean {
    if (this.rollout === this.settings) return this.settings.isOn(flag, principal);
    return withTimeLimit(this.limits.flagMs, signal, (limit) =>
      callPort('Rollout', () => this.rollout.isOn(flag, principal, limit)),
    );
  }
}
