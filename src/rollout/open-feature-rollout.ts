import type { Client, EvaluationContext } from '@openfeature/server-sdk';
import { matchPrincipal, type Principal } from '../kernel/principal.js';
import { Rollout } from './rollout.js';

/** The key under which the flag system knows an endpoint's flag: `deal-sets-list`. */
export function openFeatureKey(flag: string): string {
  return `deal-sets-${flag.replaceAll('_', '-')}`;
}

/**
 * Flags from any system that has an OpenFeature provider. The team sets the provider up and hands over a
 * client:
 *
 * ```ts
 * await OpenFeature.setProviderAndWait(new FlagdProvider());
 * const provider = { provide: Rollout, useValue: new OpenFeatureRollout(OpenFeature.getClient()) };
 * ```
 *
 * The evaluation context holds the buyer's id as `targetingKey`, `principalType` (`session` or
 * `assistant`), and for an assistant its `clientId`. A flag that is missing, of another type, or whose
 * provider fails is off.
 */
export class OpenFeatureRollout extends Rollout {
  constructor(
    private readonly client: Pick<Client, 'getBooleanValue'>,
    private readonly keyOf: (flag: string) => string = openFeatureKey,
  ) {
    super();
  }

  override isOn(flag: string, principal: Principal): Promise<boolean> {
    return this.client.getBooleanValue(this.keyOf(flag), false, evaluationContext(principal));
  }
}

function evaluationContext(principal: Principal): EvaluationContext {
  const context = { targetingKey: principal.buyerId, principalType: principal.type };
  return matchPrincipal<EvaluationContext>(principal, {
    session: () => context,
    assistant: ({ clientId }) => ({ ...context, clientId }),
  });
}
