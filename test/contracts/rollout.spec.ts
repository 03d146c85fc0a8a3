import {
  TypedInMemoryProvider,
  OpenFeature,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import { loadSettings } from '../../src/config/load-settings.js';
import type { Principal } from '../../src/kernel/principal.js';
import { openFeatureKey, OpenFeatureRollout } from '../../src/rollout/open-feature-rollout.js';
import { SettingsRollout } from '../../src/rollout/settings-rollout.js';
import {
  rolloutContract,
  type TestFlag as Flag,
} from '../../packages/testing/src/rollout.contract.js';
import { runContract } from './run-contract.js';

const ASSISTANT: Principal = {
  type: 'assistant',
  buyerId: '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d',
  clientId: 'assistant-1',
  scopes: new Set(),
  isHosted: false,
  seesChanges: false,
};

describe('the rollout of the settings', () => {
  const written = (flag: Flag): string => (typeof flag === 'string' ? flag : flag.buyerId);
  runContract(
    rolloutContract({
      hung: null,
      withFlags: ({ list, get }) =>
        new SettingsRollout(
          loadSettings({ ROLLOUT_LIST: written(list), ROLLOUT_GET: written(get) }),
        ),
    }),
  );
});

describe('the rollout of an OpenFeature provider', () => {
  let domain = 0;

  afterAll(() => OpenFeature.close());

  function flag(value: Flag): object {
    const variants = { on: true, off: false };
    if (typeof value === 'string') return { variants, defaultVariant: value, disabled: false };
    const contextEvaluator = (context: EvaluationContext): string =>
      context.targetingKey === value.buyerId ? 'on' : 'off';
    return { variants, defaultVariant: 'off', disabled: false, contextEvaluator };
  }

  async function withFlags(flags: object): Promise<OpenFeatureRollout> {
    const name = `test-${(domain += 1)}`;
    await OpenFeature.setProviderAndWait(name, new TypedInMemoryProvider(flags as never));
    return new OpenFeatureRollout(OpenFeature.getClient(name));
  }

  runContract(
    rolloutContract({
      // OpenFeature takes no signal.
      hung: null,
      withFlags: ({ list, get }) =>
        withFlags({ [openFeatureKey('list')]: flag(list), [openFeatureKey('get')]: flag(get) }),
    }),
  );

  it('passes the provider the caller, and nothing else', async () => {
    const seen: EvaluationContext[] = [];
    const contextEvaluator = (context: EvaluationContext): string => {
      seen.push(context);
      return 'on';
    };
    const rollout = await withFlags({
      [openFeatureKey('list')]: {
        variants: { on: true },
        defaultVariant: 'on',
        disabled: false,
        contextEvaluator,
      },
    });
    expect(await rollout.isOn('list', ASSISTANT)).toBe(true);
    expect(seen).toEqual([
      { targetingKey: ASSISTANT.buyerId, principalType: 'assistant', clientId: 'assistant-1' },
    ]);
  });

  it.each([
    ['missing', {}],
    [
      'of another type',
      {
        [openFeatureKey('list')]: {
          variants: { on: 'yes' },
          defaultVariant: 'on',
          disabled: false,
        },
      },
    ],
    [
      'disabled',
      {
        [openFeatureKey('list')]: { variants: { on: true }, defaultVariant: 'on', disabled: true },
      },
    ],
    [
      'broken',
      { [openFeatureKey('list')]: { variants: {}, defaultVariant: 'on', disabled: false } },
    ],
  ])('counts a flag that is %s as off', async (_what, flags) => {
    expect(await (await withFlags(flags)).isOn('list', ASSISTANT)).toBe(false);
  });
});
