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
 * Guarantees: `find` answers what the store holds now; a session revoked before the call began is
 * returned as revoked or not at all.
 * Must never: write, not even a "last seen"; answer from a cache that outlives a revocation; receive or
 * log the cookie's value (it is given the value's SHA-256 alone).
 * When it fails: any error, and a look-up of over a second, becomes 503
 * `auth_unverifiable`; only null, an expired or a revoked session is 401.
 */
export abstract class SessionStore {
  /**
   * @param tokenSha256 SHA-256 of the cookie's value, 32 bytes.
   * @returns the session, or null when there is none or more than one.
   */
  abstract find(tokenSha256: Buffer, deadline: Deadline): Promise<StoredSession | null>;
}
