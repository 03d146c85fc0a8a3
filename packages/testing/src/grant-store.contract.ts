import assert from 'node:assert/strict';
import type { GrantStore, StoredGrant } from '@deal-sets/service';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';
import { STRANGER } from './principals.js';

/** The grant store under test, and functions that change its content. */
export interface GrantStoreFixture {
  /** The store under test. */
  readonly store: () => GrantStore;
  /**
   * Stores a grant to this assistant, from any buyer that the store accepts.
   *
   * @returns the buyer's id.
   */
  readonly put: (clientId: string, grant: StoredGrant) => Promise<{ buyerId: string }>;
  /** Revokes the grant, as the buyer would. */
  readonly revoke: (buyerId: string, clientId: string) => Promise<void>;
  /** Creates a store whose dependency hangs; null for a store without I/O. */
  readonly hung: HungFixture<GrantStore>;
}

const GRANTS: Readonly<Record<string, StoredGrant>> = {
  'for reading': { scopes: ['offers:read'], isHosted: false, changesGranted: false },
  'without a scope, to a hosted assistant': { scopes: [], isHosted: true, changesGranted: false },
  'of two scopes and changes': {
    scopes: ['offers:read', 'requests:submit'],
    isHosted: false,
    changesGranted: true,
  },
};
const GRANT: StoredGrant = { scopes: ['offers:read'], isHosted: false, changesGranted: false };

/** Returns the tests of a grant store. */
export function grantStoreContract(fixture: GrantStoreFixture): readonly ContractTest[] {
  const { store, put, revoke } = fixture;
  return [
    ...Object.entries(GRANTS).map(([which, values]) =>
      inTime(`returns a grant unchanged: ${which}`, async (signal) => {
        const { buyerId } = await put('assistant-1', values);
        assert.deepEqual(await store().find(buyerId, 'assistant-1', signal), values);
      }),
    ),

    inTime(
      'finds no grant of another assistant, even if its id differs only in case or spaces',
      async (signal) => {
        const { buyerId } = await put('assistant-1', GRANT);
        for (const clientId of ['assistant-2', 'Assistant-1', 'assistant-1 ']) {
          const found = await store().find(buyerId, clientId, signal);
          assert.equal(found, null, `a grant to "${clientId}" was found`);
        }
      },
    ),

    inTime('finds no grant of another buyer', async (signal) => {
      await put('assistant-1', GRANT);
      assert.equal(await store().find(STRANGER, 'assistant-1', signal), null);
    }),

    inTime('applies a revocation from the next look-up on', async (signal) => {
      const { buyerId } = await put('assistant-1', GRANT);
      assert.notEqual(await store().find(buyerId, 'assistant-1', signal), null);
      await revoke(buyerId, 'assistant-1');
      assert.equal(await store().find(buyerId, 'assistant-1', signal), null);
    }),

    ...givesUpHungCalls(fixture.hung, (hung, signal) => hung.find(STRANGER, 'assistant-1', signal)),
  ];
}
