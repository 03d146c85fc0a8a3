import assert from 'node:assert/strict';
import type { SessionStore, StoredSession } from '@deal-sets/service';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';

/** The session store under test, and functions that change its content. */
export interface SessionStoreFixture {
  /** The store under test. */
  readonly store: () => SessionStore;
  /**
   * Stores a session of any buyer that the store accepts, and chooses the value of its cookie, for
   * example a signed one.
   *
   * @returns the buyer's id, and the value as the browser sends it.
   */
  readonly put: (
    session: Omit<StoredSession, 'buyerId'>,
  ) => Promise<{ buyerId: string; cookieValue: string }>;
  /** Revokes the session, as the website would. */
  readonly revoke: (cookieValue: string) => Promise<void>;
  /** Creates a store whose dependency hangs; null for a store without I/O. */
  readonly hung: HungFixture<SessionStore>;
}

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);
const live = (): Omit<StoredSession, 'buyerId'> => ({ expiresAt: inDays(1), revokedAt: null });

/**
 * Values that anybody may send. The first has every octet that a cookie value may contain. Many of
 * them have a special meaning in addresses, patterns or queries.
 */
const FOREIGN_VALUES = [
  String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 0x21 + at)).replace(/[",;\\]/g, ''),
  '%ff'.repeat(16),
  '%'.repeat(16),
  `s:${'a'.repeat(32)}.`,
  'a'.repeat(4096),
];

/** Returns values that differ from an issued one in little. */
function variantsOf(value: string): string[] {
  // Hexadecimal ids may be compared without regard to case; other letters may not.
  const inOtherCase = value.replace(/[g-z]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const variants = [inOtherCase, value.slice(0, -1), `${value}a`, `%${value.slice(1)}`];
  return variants.filter((variant) => variant !== value);
}

/** Returns the tests of a session store. */
export function sessionStoreContract(fixture: SessionStoreFixture): readonly ContractTest[] {
  const { store, put, revoke, hung } = fixture;
  return [
    inTime('finds a session by the value of its cookie', async (signal) => {
      const expected = live();
      const { buyerId, cookieValue } = await put(expected);
      const found = await store().find(cookieValue, signal);
      assert.ok(found, 'the session was not found');
      assert.equal(found.buyerId, buyerId);
      assert.equal(found.revokedAt, null);
      const apartMs = Math.abs(found.expiresAt.getTime() - expected.expiresAt.getTime());
      assert.ok(apartMs < 1000, `expiresAt differs by ${apartMs} ms from the stored time`);
    }),

    inTime('finds nothing by any other value', async (signal) => {
      const { cookieValue } = await put(live());
      for (const other of [...variantsOf(cookieValue), ...FOREIGN_VALUES]) {
        assert.equal(await store().find(other, signal), null);
      }
    }),

    inTime('returns an expired session as expired, or not at all', async (signal) => {
      const { cookieValue } = await put({ expiresAt: inDays(-1), revokedAt: null });
      const found = await store().find(cookieValue, signal);
      assert.ok((found?.expiresAt.getTime() ?? 0) < Date.now(), 'the session is still valid');
    }),

    inTime('applies a revocation from the next look-up on', async (signal) => {
      const { cookieValue } = await put(live());
      assert.equal((await store().find(cookieValue, signal))?.revokedAt, null);
      await revoke(cookieValue);
      const found = await store().find(cookieValue, signal);
      assert.ok(found === null || found.revokedAt instanceof Date, 'the session is still valid');
    }),

    inTime('returns the right session for each of many parallel look-ups', async () => {
      const expected = await Promise.all(Array.from({ length: 20 }, () => put(live())));
      const found = await Promise.all(
        expected.map(({ cookieValue }) => store().find(cookieValue, new AbortController().signal)),
      );
      assert.deepEqual(
        found.map((session) => session?.buyerId),
        expected.map(({ buyerId }) => buyerId),
      );
    }),

    ...givesUpHungCalls(
      hung &&
        (async () => {
          // A store may reject a value that it did not issue without a call to its dependency.
          const { cookieValue } = await put(live());
          const { provider, ...dependency } = await hung();
          return { provider: { store: provider, cookieValue }, ...dependency };
        }),
      (issued, signal) => issued.store.find(issued.cookieValue, signal),
    ),
  ];
}
