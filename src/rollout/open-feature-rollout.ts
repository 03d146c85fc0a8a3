import type { Client, EvaluationContext } from '@openfeature/server-sdk';
import type { Endpoint } from '../kernel/endpoint.js';
import type { Principal } from '../kernel/principal.js';
import { Rollout } from './rollout.js';

/** The boolean flag of each endpoint, as the flag system knows it. */
export type FlagKeys = Readonly<Record<Endpoint, string>>;

export const FLAG_KEYS: FlagKeys = { list: 'deal-sets-list', get: 'deal-sets-get' };

/**
 * Flags from any system that has an OpenFeature provider. The team sets the provider up and hands over a
 * client:
 *
 * ```ts
 * await OpenFeature.setProviderAndWait(new FlagdProvider());
 * const rollout = { useValue: new OpenFeatureRollout(OpenFeature.getClient()) };
 * ```
 *
 * The evaluation context holds the buyer's id as `targetingKey`, `principalType` (`session` or
 * `assistant`), and for an assistant its `clientId`. A flag that is missing, of another type, or whose
 * provider fails is off.
 */
export class OpenFeatureRollout extends Rollout {
  constructor(
    private readonly client: Pick<Client, 'getBooleanValue'>,
    private readonly flagKeys: FlagKeys = FLAG_KEYS,
  ) {
    super();
  }

  override isOn(endpoint: Endpoint, principal: Principal): Promise<boolean> {
    return this.client.getBooleanValue(
      this.flagKeys[endpoint],
      false,
      evaluationContext(principal),
    );
  }
}

function evaluationContext(principal: Principal): EvaluationContext {
  const context = { targetingKey: principal.buyerId, principalType: principal.type };
  return principal.type === 'assistant' ? { ...context, clientId: principal.clientId } : context;
}
