import assert from 'node:assert/strict';
import type { Rollout } from '@deal-sets/service';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';
import { ANNA, assistantOf, sessionOf, STRANGER } from './principals.js';

/** The value of a flag: on for everyone, off for everyone, or on for one buyer. */
export type TestFlag = 'on' | 'off' | { readonly buyerId: string };

/** The flags of the two endpoints. */
export interface TestFlags {
  /** The flag of the list. */
  readonly list: TestFlag;
  /** The flag of one deal set. */
  readonly get: TestFlag;
}

/** The rollout under test, with a choice of flags. */
export interface RolloutFixture {
  /** Creates the rollout under test, with these flags and no others. */
  readonly withFlags: (flags: TestFlags) => Promise<Rollout> | Rollout;
  /** Creates a rollout whose flag system hangs; null if flags are read inside the process. */
  readonly hung: HungFixture<Rollout>;
}

/** Returns the tests of a rollout. */
export function rolloutContract({ withFlags, hung }: RolloutFixture): readonly ContractTest[] {
  return [
    inTime('turns each endpoint on and off independently', async (signal) => {
      const rollout = await withFlags({ list: 'on', get: 'off' });
      assert.equal(await rollout.isOn('list', sessionOf(ANNA), signal), true);
      assert.equal(await rollout.isOn('get', sessionOf(ANNA), signal), false);
    }),

    inTime(
      'turns an endpoint on for one buyer and the buyer’s assistant, and not for another buyer',
      async (signal) => {
        const rollout = await withFlags({ list: { buyerId: ANNA }, get: 'on' });
        const isOn = (principal: Parameters<Rollout['isOn']>[1]): ReturnType<Rollout['isOn']> =>
          rollout.isOn('list', principal, signal);
        assert.equal(await isOn(sessionOf(ANNA)), true);
        assert.equal(await isOn(assistantOf(ANNA)), true);
        assert.equal(await isOn(sessionOf(STRANGER)), false);
        assert.equal(await isOn(assistantOf(STRANGER)), false);
      },
    ),

    inTime('returns the same value for the same flag and principal', async () => {
      const rollout = await withFlags({ list: { buyerId: ANNA }, get: 'off' });
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () =>
          rollout.isOn('list', sessionOf(ANNA), new AbortController().signal),
        ),
      );
      assert.deepEqual(new Set(answers), new Set([true]));
    }),

    ...givesUpHungCalls(hung, async (rollout, signal) =>
      rollout.isOn('list', sessionOf(ANNA), signal),
    ),
  ];
}
