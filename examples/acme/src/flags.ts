import type { Provider } from '@nestjs/common';
import { Rollout, type Principal } from '@deal-sets/service';
import { OpenFeature, TypedInMemoryProvider, type Client } from '@openfeature/server-sdk';

const ON = {
  variants: { on: true, off: false },
  defaultVariant: 'on',
  disabled: false,
} as const;

/**
 * Acme's flags. The endpoint flag `notes` has the key `deal-sets-notes`. To use the flags of
 * another system, replace this provider with the OpenFeature provider of that system.
 */
export const flagProvider = new TypedInMemoryProvider({
  'deal-sets-list': ON,
  'deal-sets-get': ON,
  'deal-sets-answers': ON,
  'deal-sets-brief': ON,
  'deal-sets-notes': {
    ...ON,
    // The context of a request from an assistant contains the id of its client.
    contextEvaluator: ({ clientId }) => (clientId === 'competitor' ? 'off' : 'on'),
  },
});

/**
 * Reads flags with a client of OpenFeature. A flag is off if it is missing, has another type, or
 * its provider fails.
 */
export class OpenFeatureRollout extends Rollout {
  constructor(private readonly client: Pick<Client, 'getBooleanValue'>) {
    super();
  }

  override isOn(flag: string, principal: Principal): Promise<boolean> {
    const context = {
      targetingKey: principal.buyerId,
      principalType: principal.type,
      ...(principal.type === 'assistant' && { clientId: principal.clientId }),
    };
    return this.client.getBooleanValue(`deal-sets-${flag.replaceAll('_', '-')}`, false, context);
  }
}

/** Replaces the flags from the settings with flags from OpenFeature. */
export const flags: Provider = {
  provide: Rollout,
  useFactory: async () => {
    await OpenFeature.setProviderAndWait('deal-sets', flagProvider);
    return new OpenFeatureRollout(OpenFeature.getClient('deal-sets'));
  },
};
