import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Statement } from '../database/cancellable-reads.js';
import { ReadDatabase } from '../database/read-database.js';

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

/** The index `buyer_session_token` serves it. */
const FIND_SESSION: Statement = {
  name: 'find_session',
  text: `
    SELECT buyer_id AS "buyerId", expires_at AS "expiresAt", revoked_at AS "revokedAt"
    FROM buyer_session
    WHERE token_sha256 = $1
    LIMIT 2`,
};

type SessionRow = Record<'buyerId' | 'expiresAt', string> & Record<'revokedAt', string | null>;

/** Website sessions in the service's own PostgreSQL, which holds the SHA-256 of each cookie's value. */
@Injectable()
export class PostgresSessionStore extends SessionStore {
  constructor(private readonly database: ReadDatabase) {
    super();
  }

  override async find(cookieValue: string, signal: AbortSignal): Promise<StoredSession | null> {
    const { signIn } = this.database;
    const digest = hash('sha256', cookieValue, 'buffer');
    const [row, another] = await signIn.query<SessionRow>(FIND_SESSION, [digest], signal);
    // Two sessions of one value would name two buyers: neither is believed.
    if (!row || another) return null;
    const revokedAt = row.revokedAt === null ? null : new Date(row.revokedAt);
    return { buyerId: row.buyerId, expiresAt: new Date(row.expiresAt), revokedAt };
  }
}
