import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ReadDatabase, type Statement } from '../database/read-database.js';
import { SessionStore, type StoredSession } from './session-store.js';

/** Served by the index `buyer_session_token`. Times as milliseconds, so that no format is in between. */
const FIND_SESSION: Statement = {
  name: 'find_session',
  text: `
    SELECT buyer_id AS "buyerId",
      (extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs",
      (extract(epoch FROM revoked_at) * 1000)::float8 AS "revokedAtMs"
    FROM buyer_session
    WHERE token_sha256 = $1
    LIMIT 2`,
};

interface SessionRow {
  readonly buyerId: string;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
}

/** Website sessions in the service's own PostgreSQL, which holds the SHA-256 of each cookie's value. */
@Injectable()
export class PostgresSessionStore extends SessionStore {
  constructor(private readonly database: ReadDatabase) {
    super();
  }

  override async find(cookieValue: string, signal: AbortSignal): Promise<StoredSession | null> {
    const rows = await this.database.signIn.query<SessionRow>(
      FIND_SESSION,
      [hash('sha256', cookieValue, 'buffer')],
      signal,
    );
    const [row, another] = rows;
    // Two sessions of one value would name two buyers: neither is believed.
    if (!row || another) return null;
    return {
      buyerId: row.buyerId,
      expiresAt: new Date(row.expiresAtMs),
      revokedAt: row.revokedAtMs === null ? null : new Date(row.revokedAtMs),
    };
  }
}
