import assert from 'node:assert/strict';
import type { LocaleResolver } from '@deal-sets/service';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';
import { ANNA, assistantOf, sessionOf, STRANGER } from './principals.js';

/** The resolver under test. */
export interface LocaleResolverFixture {
  readonly resolver: () => LocaleResolver;
  /** Creates a resolver whose dependency hangs; null for one without calls outside the process. */
  readonly hung: HungFixture<LocaleResolver>;
}

/** Returns the tests of an implementation of `LocaleResolver`. */
export function localeResolverContract({
  resolver,
  hung,
}: LocaleResolverFixture): readonly ContractTest[] {
  return [
    inTime('returns a valid language tag, even for an unknown buyer', async (signal) => {
      for (const buyerId of [ANNA, STRANGER]) {
        for (const principal of [sessionOf(buyerId), assistantOf(buyerId)]) {
          const tag: unknown = await resolver().resolve(principal, signal);
          assert.equal(typeof tag, 'string');
          assert.doesNotThrow(() => new Intl.Locale(tag as string), `${String(tag)} is not valid`);
        }
      }
    }),

    ...givesUpHungCalls(hung, async (provider, signal) =>
      provider.resolve(sessionOf(ANNA), signal),
    ),
  ];
}
