import type { Provider } from '@nestjs/common';
import { OpenFeatureRollout, Rollout } from '@deal-sets/service';
import { OpenFeature, TypedInMemoryProvider } from '@openfeature/server-sdk';

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

/** Replaces the flags from the settings with flags from OpenFeature. */
export const flags: Provider = {
  provide: Rollout,
  useFactory: async () => {
    await OpenFeature.setProviderAndWait('deal-sets', flagProvider);
    return new OpenFeatureRollout(OpenFeature.getClient('deal-sets'));
  },
};
