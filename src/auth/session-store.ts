/** A website session as its store knows it. */
export interface StoredSession {
  readonly buyerId: string;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/**
 * Where the website keeps its sessions. The default is `PostgresSessionStore`.
 *
 * Guarantees: `find` returns what the store holds now; a session revoked before the call began is
 * returned as revoked or not at all.
 * Must never: write, not even a "last seen"; return a cached session that outlives a revocation; log the
 * cookie's value or keep it.
 * When it fails: any error, and a look-up of over a second, becomes 503
 * `auth_unverifiable`; only null, an expired or a revoked session is 401. An incomplete value counts as the
 * stricter one: a session without `expiresAt` has expired, one without `revokedAt` is revoked.
 */
export abstract class SessionStore {
  /**
   * @param cookieValue 16 to 4,096 cookie octets: a credential, never to be logged or kept.
   * @param signal aborted when the look-up is given up: an implementation stops its work then.
   * @returns the session, or null when there is none or more than one.
   */
  abstract find(cookieValue: string, signal: AbortSignal): Promise<StoredSession | null>;
}
