import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import { frozenPrincipal, type SessionPrincipal } from '../../kernel/principal.js';
import { parseUuid } from '../../kernel/uuid.js';
import { withAuthTimeout } from '../with-auth-timeout.js';
import { SessionScopes } from './session-scopes.js';
import { SessionStore, type StoredSession } from './session-store.js';

/** Turns a session cookie's value into the buyer who signed in. */
@Injectable()
export class SessionAuthenticator {
  constructor(
    private readonly sessions: SessionStore,
    private readonly scopes: SessionScopes,
  ) {}

  /**
   * @throws {AppError} `unauthenticated` when no session has this value, or it has expired or was revoked;
   *   `auth_unverifiable` when that is unknown.
   */
  principalOf(cookieValue: string, deadline: Deadline): Promise<SessionPrincipal> {
    return withAuthTimeout(deadline, (limit) => this.#find(cookieValue, limit));
  }

  async #find(cookieValue: string, deadline: Deadline): Promise<SessionPrincipal> {
    const { sessions } = this;
    const session = sessions.findByCredential
      ? await sessions.findByCredential(cookieValue, deadline)
      : await sessions.find(hash('sha256', cookieValue, 'buffer'), deadline);
    if (!session || !isLive(session)) throw new AppError('unauthenticated');
    const buyerId = parseUuid(session.buyerId);
    if (buyerId === undefined)
      throw new Error('the session store named a buyer by something else than a UUID');
    return frozenPrincipal({ type: 'session', buyerId, scopes: this.scopes.all });
  }
}

/** What a store leaves out counts as the stricter value: a session without a time of expiry has expired. */
function isLive({ expiresAt, revokedAt }: Partial<StoredSession>): boolean {
  return revokedAt === null && expiresAt instanceof Date && expiresAt.getTime() > Date.now();
}
