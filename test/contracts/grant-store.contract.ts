/* eslint-disable jest/no-export -- a suite for implementations to run */
import type { GrantStore, StoredGrant } from '../../src/auth/access-token/grant-store.js';
import { Deadline } from '../../src/kernel/deadline.js';

/** How the suite arranges what a grant store holds. */
export interface GrantStoreFixture {
  /** The store under test. */
  store(): GrantStore;
  /** Puts a grant there, of a buyer of its own that the store accepts, to this assistant. */
  put(clientId: string, grant: StoredGrant): Promise<{ buyerId: string }>;
  /** Revokes it, as the buyer would. */
  revoke(buyerId: string, clientId: string): Promise<void>;
}

const GRANT: StoredGrant = { scopes: ['offers:read'], isHosted: false, changesGranted: false };

/** What every grant store must do; run it against your own. */
export function grantStoreContract({ store, put, revoke }: GrantStoreFixture): void {
  let deadline: Deadline;

  beforeEach(() => {
    deadline = new Deadline(8000);
  });

  afterEach(() => deadline.finish());

  it.each<StoredGrant>([
    GRANT,
    { scopes: [], isHosted: true, changesGranted: false },
    { scopes: ['offers:read', 'requests:submit'], isHosted: false, changesGranted: true },
  ])('finds a grant as it was given: %j', async (given) => {
    const { buyerId } = await put('assistant-1', given);
    await expect(store().find(buyerId, 'assistant-1', deadline)).resolves.toEqual(given);
  });

  it('knows nothing of another assistant, nor of one whose id is written differently', async () => {
    const { buyerId } = await put('assistant-1', GRANT);
    await expect(store().find(buyerId, 'assistant-2', deadline)).resolves.toBeNull();
    await expect(store().find(buyerId, 'Assistant-1', deadline)).resolves.toBeNull();
    await expect(store().find(buyerId, 'assistant-1 ', deadline)).resolves.toBeNull();
  });

  it('knows nothing of another buyer', async () => {
    await put('assistant-1', GRANT);
    const stranger = '7e0e0c3a-3c1d-4d4e-8a52-3f0f2a6b9f10';
    await expect(store().find(stranger, 'assistant-1', deadline)).resolves.toBeNull();
  });

  it('shows a revocation on the next look-up', async () => {
    const { buyerId } = await put('assistant-1', GRANT);
    await expect(store().find(buyerId, 'assistant-1', deadline)).resolves.not.toBeNull();
    await revoke(buyerId, 'assistant-1');
    await expect(store().find(buyerId, 'assistant-1', deadline)).resolves.toBeNull();
  });
}
