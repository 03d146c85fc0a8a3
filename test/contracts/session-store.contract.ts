/* eslint-disable jest/no-export -- a suite for implementations to run */
import { randomBytes } from 'node:crypto';
import type { SessionStore, StoredSession } from '../../src/auth/session/session-store.js';
import { Deadline } from '../../src/kernel/deadline.js';

/** How the suite arranges what a session store holds. */
export interface SessionStoreFixture {
  /** The store under test. */
  store(): SessionStore;
  /** Puts a session there; its buyer is any that the store accepts. */
  put(tokenSha256: Buffer, session: Omit<StoredSession, 'buyerId'>): Promise<{ buyerId: string }>;
  /** Revokes it, as the website would. */
  revoke(tokenSha256: Buffer): Promise<void>;
}

const TOMORROW = new Date(Date.now() + 86_400_000);
const YESTERDAY = new Date(Date.now() - 86_400_000);

/** What every session store must do; run it against your own. */
export function sessionStoreContract({ store, put, revoke }: SessionStoreFixture): void {
  let deadline: Deadline;
  let tokenSha256: Buffer;

  beforeEach(() => {
    deadline = new Deadline(8000);
    tokenSha256 = randomBytes(32);
  });

  afterEach(() => deadline.finish());

  it('finds a session by the hash of its value', async () => {
    const { buyerId } = await put(tokenSha256, { expiresAt: TOMORROW, revokedAt: null });
    const found = await store().find(tokenSha256, deadline);
    expect(found).toMatchObject({ buyerId, revokedAt: null });
    expect(Math.abs(found!.expiresAt.getTime() - TOMORROW.getTime())).toBeLessThan(1000);
  });

  it('knows nothing of any other hash', async () => {
    await put(tokenSha256, { expiresAt: TOMORROW, revokedAt: null });
    const near = Buffer.from(tokenSha256);
    near.writeUInt8(near.readUInt8(31) ^ 1, 31);
    await expect(store().find(near, deadline)).resolves.toBeNull();
  });

  it('shows an expired session as expired, or not at all', async () => {
    await put(tokenSha256, { expiresAt: YESTERDAY, revokedAt: null });
    const found = await store().find(tokenSha256, deadline);
    expect(found?.expiresAt.getTime() ?? 0).toBeLessThan(Date.now());
  });

  it('shows a revocation on the next look-up', async () => {
    await put(tokenSha256, { expiresAt: TOMORROW, revokedAt: null });
    await expect(store().find(tokenSha256, deadline)).resolves.toMatchObject({ revokedAt: null });
    await revoke(tokenSha256);
    const found = await store().find(tokenSha256, deadline);
    expect(found === null || found.revokedAt instanceof Date).toBe(true);
  });

  it('answers many look-ups at once, each its own', async () => {
    const hashes = Array.from({ length: 20 }, () => randomBytes(32));
    const put20 = await Promise.all(
      hashes.map((hash) => put(hash, { expiresAt: TOMORROW, revokedAt: null })),
    );
    const found = await Promise.all(hashes.map((hash) => store().find(hash, deadline)));
    expect(found.map((session) => session?.buyerId)).toEqual(put20.map(({ buyerId }) => buyerId));
  });
}
