import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { SessionStore, StoredSession } from '../auth/session/session-store.js';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-part.js';

/** How the suite arranges what a session store holds. */
export interface SessionStoreFixture {
  /** The store under test. */
  readonly store: () => SessionStore;
  /** Puts a session there; its buyer is any that the store accepts. */
  readonly put: (
    tokenSha256: Buffer,
    session: Omit<StoredSession, 'buyerId'>,
  ) => Promise<{ buyerId: string }>;
  /** Revokes it, as the website would. */
  readonly revoke: (tokenSha256: Buffer) => Promise<void>;
  /** The store on a dependency that hangs; null for a store without I/O. */
  readonly hung: HungFixture<SessionStore>;
}

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

/** What every session store must do. */
export function sessionStoreContract(fixture: SessionStoreFixture): readonly ContractTest[] {
  const { store, put, revoke } = fixture;
  const live = (): Omit<StoredSession, 'buyerId'> => ({ expiresAt: inDays(1), revokedAt: null });
  return [
    inTime('finds a session by the hash of its value', async (deadline) => {
      const tokenSha256 = randomBytes(32);
      const given = live();
      const { buyerId } = await put(tokenSha256, given);
      const found = await store().find(tokenSha256, deadline);
      assert.ok(found, 'the session was not found');
      assert.equal(found.buyerId, buyerId);
      assert.equal(found.revokedAt, null);
      const apartMs = Math.abs(found.expiresAt.getTime() - given.expiresAt.getTime());
      assert.ok(apartMs < 1000, `expiresAt is ${apartMs} ms from what was given`);
    }),

    inTime('knows nothing of any other hash', async (deadline) => {
      const tokenSha256 = randomBytes(32);
      await put(tokenSha256, live());
      const near = Buffer.from(tokenSha256);
      near.writeUInt8(near.readUInt8(31) ^ 1, 31);
      assert.equal(await store().find(near, deadline), null);
    }),

    inTime('shows an expired session as expired, or not at all', async (deadline) => {
      const tokenSha256 = randomBytes(32);
      await put(tokenSha256, { expiresAt: inDays(-1), revokedAt: null });
      const found = await store().find(tokenSha256, deadline);
      assert.ok((found?.expiresAt.getTime() ?? 0) < Date.now(), 'the session is shown as live');
    }),

    inTime('shows a revocation on the next look-up', async (deadline) => {
      const tokenSha256 = randomBytes(32);
      await put(tokenSha256, live());
      assert.equal((await store().find(tokenSha256, deadline))?.revokedAt, null);
      await revoke(tokenSha256);
      const found = await store().find(tokenSha256, deadline);
      assert.ok(found === null || found.revokedAt instanceof Date, 'the session is shown as live');
    }),

    inTime('serves many parallel look-ups, each with its own session', async (deadline) => {
      const hashes = Array.from({ length: 20 }, () => randomBytes(32));
      const given = await Promise.all(hashes.map((hash) => put(hash, live())));
      const found = await Promise.all(hashes.map((hash) => store().find(hash, deadline)));
      assert.deepEqual(
        found.map((session) => session?.buyerId),
        given.map(({ buyerId }) => buyerId),
      );
    }),

    ...givesUpHungCalls(fixture.hung, (hung, limit) => hung.find(randomBytes(32), limit)),
  ];
}
