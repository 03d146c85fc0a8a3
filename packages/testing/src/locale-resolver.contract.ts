import assert from 'node:assert/strict';
import type { LocaleResolver } from '@deal-sets/service';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';
import { ANNA, assistantOf, sessionOf, STRANGER } from './principals.js';

/** The resolver under test. */
export interface LocaleResolverFixture {
  readonly resolver: () => LocaleResolver;
  /** The resolver on a dependency that hangs; null for one that calls nothing outside the process. */
  readonly hung: HungFixture<LocaleResolver>;
}

/** The requirements on every implementation of `LocaleResolver`. */
export function localeResolverContract({
  resolver,
  hung,
}: LocaleResolverFixture): readonly ContractTest[] {
  return [
    inTime(
      'returns a valid language tag, for a buyer of whom nothing is known too',
      async (signal) => {
        for (const buyerId of [ANNA, STRANGER]) {
          for (const principal of [sessionOf(buyerId), assistantOf(buyerId)]) {
            const tag: unknown = await resolver().resolve(principal, signal);
            assert.equal(typeof tag, 'string');
            assert.doesNotThrow(
              () => new Intl.Locale(tag as string),
              `${String(tag)} is not valid`,
            );
          }
        }
      },
    ),

    ...givesUpHungCalls(hung, async (provider, signal) =>
      provider.resolve(sessionOf(ANNA), signal),
    ),
  ];
}
