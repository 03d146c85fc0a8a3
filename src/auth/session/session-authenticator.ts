import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EndpointRegistry } from '../../http/endpoint-registry.js';
import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import type { SessionPrincipal } from '../../kernel/principal.js';
import { parseUuid } from '../../kernel/uuid.js';
import { withAuthTimeout } from '../with-auth-timeout.js';
import { SessionStore } from './session-store.js';

/** Turns a session cookie's value into the buyer who signed in. */
@Injectable()
export class SessionAuthenticator {
  #scopes: ReadonlySet<string> | undefined;

  constructor(
    private readonly sessions: SessionStore,
    private readonly registry: EndpointRegistry,
  ) {}

  /**
   * @throws {AppError} `unauthenticated` when no session has this value, or it has expired or was revoked;
   *   `auth_unverifiable` when that is unknown.
   */
  principalOf(cookieValue: string, deadline: Deadline): Promise<SessionPrincipal> {
    return withAuthTimeout(deadline, this.#find(cookieValue, deadline));
  }

  async #find(cookieValue: string, deadline: Deadline): Promise<SessionPrincipal> {
    const session = await this.sessions.find(hash('sha256', cookieValue, 'buffer'), deadline);
    // Compared this way round, an expiry that is no time at all counts as expired.
    if (!session || session.revokedAt !== null || !(session.expiresAt.getTime() > Date.now())) {
      throw new AppError('unauthenticated');
    }
    const buyerId = parseUuid(session.buyerId);
    if (buyerId === undefined)
      throw new Error('the session store named a buyer by something else than a UUID');
    // Scopes limit what the buyer delegates; her own session holds every scope that an endpoint asks for.
    this.#scopes ??= this.registry.scopes;
    return { type: 'session', buyerId, scopes: this.#scopes };
  }
}
