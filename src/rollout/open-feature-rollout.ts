import type { Client, EvaluationContext } from '@openfeature/server-sdk';
import { matchPrincipal, type Principal } from '../kernel/principal.js';
import { Rollout } from './rollout.js';

/**
 * Flags from any system with an OpenFeature provider. The host application sets the provider up and
 * passes a client:
 *
 * ```ts
 * await OpenFeature.setProviderAndWait(new FlagdProvider());
 * const provider = { provide: Rollout, useValue: new OpenFeatureRollout(OpenFeature.getClient()) };
 * ```
 *
 * The flag `list` has the key `deal-sets-list` there. The evaluation context contains the buyer's
 * id as `targetingKey`, `principalType` (`session` or `assistant`), and for an assistant its
 * `clientId`. A flag that is missing, has another type, or whose provider fails is off.
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
