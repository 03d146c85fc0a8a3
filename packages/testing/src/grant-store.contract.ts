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
   * Stores a grant to this assistant, from any buyer that the store accepts. A store that does not
   * have one of the times ignores it.
   *
   * @returns the buyer's id.
   */
  readonly put: (clientId: string, grant: StoredGrant) => Promise<{ buyerId: string }>;
  /** Revokes the grant, as the buyer would. */
  readonly revoke: (buyerId: string, clientId: string) => Promise<void>;
  /** Creates a store whose dependency hangs; null for a store without I/O. */
  readonly hung: HungFixture<GrantStore>;
}

const GRANT: StoredGrant = {
  scopes: ['offers:read'],
  isHosted: false,
  changesGranted: false,
  grantedAt: new Date('2026-01-01T00:00:00.123Z'),
  expiresAt: null,
};
const GRANTS: Readonly<Record<string, StoredGrant>> = {
  'for reading': GRANT,
  'without a scope, to a hosted assistant': { ...GRANT, scopes: [], isHosted: true },
  'of two scopes and changes': {
    ...GRANT,
    scopes: ['offers:read', 'requests:submit'],
    changesGranted: true,
  },
  'that ends in the year 2999': { ...GRANT, expiresAt: new Date('2999-01-01T00:00:00.456Z') },
};
const EXPIRED: StoredGrant = { ...GRANT, expiresAt: new Date('2026-01-02T00:00:00Z') };

/**
 * Compares a grant with the one that was stored. A store may leave out the times, but it must not
 * return others.
 */
function assertUnchanged(found: StoredGrant | null, stored: StoredGrant): void {
  assert.ok(found, 'no grant was found');
  const { grantedAt = stored.grantedAt, expiresAt = stored.expiresAt } = found;
  assert.deepEqual({ ...found, grantedAt, expiresAt }, stored);
}

/** Returns the tests of a grant store. */
export function grantStoreContract(fixture: GrantStoreFixture): readonly ContractTest[] {
  const { store, put, revoke } = fixture;
  return [
    ...Object.entries(GRANTS).map(([which, values]) =>
      inTime(`returns a grant unchanged: ${which}`, async (signal) => {
        const { buyerId } = await put('assistant-1', values);
        assertUnchanged(await store().find(buyerId, 'assistant-1', signal), values);
      }),
    ),

    inTime('finds no expired grant, or returns it with the time of its expiry', async (signal) => {
      const { buyerId } = await put('assistant-1', EXPIRED);
      const found = await store().find(buyerId, 'assistant-1', signal);
      if (found) assertUnchanged(found, EXPIRED);
    }),

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
