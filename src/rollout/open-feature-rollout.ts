import type { Client, EvaluationContext } from '@openfeature/server-sdk';
import { matchPrincipal, type Principal } from '../kernel/principal.js';
import { Rollout } from './rollout.js';

/**
 * Reads flags from any system with an OpenFeature provider. The host application sets up the
 * provider and passes a client:
 *
 * ```ts
 * await OpenFeature.setProviderAndWait(new FlagdProvider());
 * const provider = { provide: Rollout, useValue: new OpenFeatureRollout(OpenFeature.getClient()) };
 * ```
 *
 * The key of the flag `list` is `deal-sets-list`. The evaluation context contains the buyer's id as
 * `targetingKey`, `principalType` (`session` or `assistant`), and for an assistant its `clientId`.
 * A flag is off if it is missing, has another type, or its provider fails.
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
