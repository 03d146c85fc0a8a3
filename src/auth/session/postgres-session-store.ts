import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Statement } from '../../database/cancellable-reader.js';
import { ReadDatabase } from '../../database/read-database.js';
import { SessionStore, type StoredSession } from './session-store.js';

/** Finds up to two sessions with the value. The query uses the index `buyer_session_token`. */
const FIND_SESSION: Statement<SessionRow> = {
  name: 'find_session',
  text: `
    SELECT buyer_id AS "buyerId", expires_at AS "expiresAt", revoked_at AS "revokedAt"
    FROM deal_sets.buyer_session
    WHERE token_sha256 = $1
    LIMIT 2`,
};

/** A row of `FIND_SESSION`; times are ISO 8601 texts. */
interface SessionRow {
  readonly buyerId: string;
  readonly expiresAt: string;
  /** Null while the session is not revoked. */
  readonly revokedAt: string | null;
}

/**
 * The default `SessionStore`: website sessions in the service's own PostgreSQL, which holds the
 * SHA-256 of each cookie's value.
 */
@Injectable()
export class PostgresSessionStore extends SessionStore {
  /** @internal */
  constructor(private readonly database: ReadDatabase) {
    super();
  }

  override async find(cookieValue: string, signal: AbortSignal): Promise<StoredSession | null> {
    const { signIn } = this.database;
    const digest = hash('sha256', cookieValue, 'buffer');
    const [row, another] = await signIn.query(FIND_SESSION, [digest], signal);
    // Two sessions with the same value would identify two buyers, so both are rejected.
    if (!row || another) return null;
    const revokedAt = row.revokedAt === null ? null : new Date(row.revokedAt);
    return { buyerId: row.buyerId, expiresAt: new Date(row.expiresAt), revokedAt };
  }
}
