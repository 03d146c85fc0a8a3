import { Injectable } from '@nestjs/common';
import type { Client, EvaluationContext } from '@openfeature/server-sdk';
import { Settings, type RolloutSetting } from '../config/settings.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';

/**
 * Decides whether an endpoint is turned on for a caller. The default is `SettingsRollout`.
 *
 * Guarantees: one value for one flag and one principal; no other part of the request matters.
 * When it fails or is late: the endpoint is off for that call (404 `not_found`).
 */
export abstract class Rollout {
  /**
   * @param flag as endpoints declare it: `[a-z][a-z0-9_]*`.
   * @param signal aborted when the call is given up, after half a second.
   */
  abstract isOn(
    flag: string,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<boolean> | boolean;
}

/** Flags from the environment, `ROLLOUT_<FLAG>`, fixed while the process runs. One that is not set is off. */
@Injectable()
export class SettingsRollout extends Rollout {
  constructor(private readonly settings: Settings) {
    super();
  }

  override isOn(flag: string, { buyerId }: Principal): boolean {
    const settings = new Map<string, RolloutSetting>(Object.entries(this.settings.rollout));
    const setting = settings.get(flag);
    return typeof setting === 'object' ? setting.has(buyerId) : setting === 'on';
  }
}

/**
 * Flags from any system that has an OpenFeature provider. The team sets the provider up and hands over a client:
 *
 * ```ts
 * await OpenFeature.setProviderAndWait(new FlagdProvider());
 * const provider = { provide: Rollout, useValue: new OpenFeatureRollout(OpenFeature.getClient()) };
 * ```
 *
 * The flag `list` has the key `deal-sets-list` there. The evaluation context holds the buyer's id as `targetingKey`, `principalType` (`session` or `assistant`), and for
 * an assistant its `clientId`. A flag that is missing, of another type, or whose provider fails is off.
 */
export class OpenFeatureRollout extends Rollout {
  constructor(private readonly client: Pick<Client, 'getBooleanValue'>) {
    super();
  }

  override isOn(flag: string, principal: Principal): Promise<boolean> {
    const { buyerId: targetingKey, type: principalType } = principal;
    const context = matchPrincipal<EvaluationContext>(principal, {
      session: () => ({ targetingKey, principalType }),
      assistant: ({ clientId }) => ({ targetingKey, principalType, clientId }),
    });
    const key = `deal-sets-${flag.replaceAll('_', '-')}`;
    return this.client.getBooleanValue(key, false, context);
  }
}
