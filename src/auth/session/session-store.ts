import type { Deadline } from '../../kernel/deadline.js';

/** A website session as its store knows it. */
export interface StoredSession {
  readonly buyerId: string;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/**
 * Where the website keeps its sessions.
 *
 * Guarantees: `find` returns what the store holds now; a session revoked before the call began is
 * returned as revoked or not at all.
 * Must never: write, not even a "last seen"; return a cached session that outlives a revocation; log the
 * cookie's value or keep it.
 * When it fails: any error, and a look-up of over a second, becomes 503
 * `auth_unverifiable`; only null, an expired or a revoked session is 401. An incomplete value counts as the
 * stricter one: a session without `expiresAt` has expired, one without `revokedAt` is revoked.
 *
 * Example, a website that serves its sessions over HTTP:
 *
 *     class WebsiteSessions extends SessionStore {
 *       async findByCredential(cookieValue: string, limit: Deadline): Promise<StoredSession | null> {
 *         const response = await fetch('https://accounts.internal/session', {
 *           headers: { cookie: `session=${cookieValue}` },
 *           signal: limit.signal,
 *         });
 *         if (response.status === 404) return null;
 *         if (!response.ok) throw new Error('sessions unavailable');
 *         const { user, expires } = await response.json();
 *         return { buyerId: user, expiresAt: new Date(expires), revokedAt: null };
 *       }
 *       find = () => Promise.resolve(null);
 *     }
 */
export abstract class SessionStore {
  /**
   * @param tokenSha256 SHA-256 of the cookie's value, 32 bytes.
   * @param limit the sign-in's own limit of a second: `remainingMs` of it are left, and `signal` is aborted
   *   when the look-up is given up. An implementation stops its work then.
   * @returns the session, or null when there is none or more than one.
   */
  abstract find(tokenSha256: Buffer, limit: Deadline): Promise<StoredSession | null>;

  /**
   * Implement it in place of `find` when the store needs the cookie's value itself, to verify a signature or
   * to ask the website: then `find` is not called.
   *
   * @param cookieValue 16 to 512 cookie octets: a credential, never to be logged or kept.
   */
  findByCredential?(cookieValue: string, limit: Deadline): Promise<StoredSession | null>;
}
