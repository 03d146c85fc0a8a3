/** A website session as its store returns it. */
export interface StoredSession {
  readonly buyerId: string;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/**
 * The store of the website's sessions. The default is `PostgresSessionStore`.
 *
 * Guarantees: `find` returns the current state of the store; a session that was revoked before the
 * call began is returned as revoked or not at all.
 * Must never: write, not even a "last seen" time; return a session from a cache after it was
 * revoked; log or keep the cookie's value.
 * When it fails: any error, and a look-up that takes longer than one second, becomes 503
 * `auth_unverifiable`; only null, an expired session and a revoked session become 401. A session
 * without `expiresAt` counts as expired, and one without `revokedAt` counts as revoked.
 */
export abstract class SessionStore {
  /**
   * Finds the session of a cookie.
   *
   * @param cookieValue 16 to 4,096 cookie octets: a credential that must never be logged or kept.
   * @param signal aborted when the look-up is abandoned; an implementation then stops its work.
   * @returns the session, or null when there is none or more than one.
   */
  abstract find(cookieValue: string, signal: AbortSignal): Promise<StoredSession | null>;
}
