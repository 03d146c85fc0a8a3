import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { SessionStore, StoredSession } from '@deal-sets/service';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';

/** The session store under test, and functions that change its content. */
export interface SessionStoreFixture {
  /** The store under test. */
  readonly store: () => SessionStore;
  /**
   * Stores a session of any buyer that the store accepts.
   *
   * @returns the buyer's id.
   */
  readonly put: (
    cookieValue: string,
    session: Omit<StoredSession, 'buyerId'>,
  ) => Promise<{ buyerId: string }>;
  /** Revokes the session, as the website would. */
  readonly revoke: (cookieValue: string) => Promise<void>;
  /** Creates a store whose dependency hangs; null for a store without I/O. */
  readonly hung: HungFixture<SessionStore>;
}

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);
const newValue = (): string => randomBytes(32).toString('base64url');
/**
 * Every octet that a cookie value may contain. Many of them have a special meaning in addresses,
 * patterns or queries.
 */
const OCTETS = String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 0x21 + at)).replace(
  /[",;\\]/g,
  '',
);

/** Returns the tests of a session store. */
export function sessionStoreContract(fixture: SessionStoreFixture): readonly ContractTest[] {
  const { store, put, revoke } = fixture;
  const live = (): Omit<StoredSession, 'buyerId'> => ({ expiresAt: inDays(1), revokedAt: null });
  return [
    inTime('finds a session by the value of its cookie', async (signal) => {
      const value = newValue();
      const expected = live();
      const { buyerId } = await put(value, expected);
      const found = await store().find(value, signal);
      assert.ok(found, 'the session was not found');
      assert.equal(found.buyerId, buyerId);
      assert.equal(found.revokedAt, null);
      const apartMs = Math.abs(found.expiresAt.getTime() - expected.expiresAt.getTime());
      assert.ok(apartMs < 1000, `expiresAt differs by ${apartMs} ms from the stored time`);
    }),

    inTime('finds nothing by any other value', async (signal) => {
      const value = `a${newValue()}`;
      await put(value, live());
      const others = [`A${value.slice(1)}`, value.slice(0, -1), `${value}a`, OCTETS];
      for (const other of [...others, `%${value.slice(1)}`, 'a'.repeat(4096)]) {
        assert.equal(await store().find(other, signal), null);
      }
    }),

    inTime('returns an expired session as expired, or not at all', async (signal) => {
      const value = newValue();
      await put(value, { expiresAt: inDays(-1), revokedAt: null });
      const found = await store().find(value, signal);
      assert.ok((found?.expiresAt.getTime() ?? 0) < Date.now(), 'the session is still valid');
    }),

    inTime('applies a revocation from the next look-up on', async (signal) => {
      const value = newValue();
      await put(value, live());
      assert.equal((await store().find(value, signal))?.revokedAt, null);
      await revoke(value);
      const found = await store().find(value, signal);
      assert.ok(found === null || found.revokedAt instanceof Date, 'the session is still valid');
    }),

    inTime('returns the right session for each of many parallel look-ups', async () => {
      const values = Array.from({ length: 20 }, newValue);
      const expected = await Promise.all(values.map((value) => put(value, live())));
      const found = await Promise.all(
        values.map((value) => store().find(value, new AbortController().signal)),
      );
      assert.deepEqual(
        found.map((session) => session?.buyerId),
        expected.map(({ buyerId }) => buyerId),
      );
    }),

    ...givesUpHungCalls(fixture.hung, (hung, signal) => hung.find(newValue(), signal)),
  ];
}
