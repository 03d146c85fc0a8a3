import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { AppError, type CredentialRejectionReason } from '../../kernel/app-error.js';
import { callPort } from '../../kernel/port.js';
import type { SessionPrincipal } from '../../kernel/principal.js';
import type { SignInRequest } from '../sign-in-request.js';
import { sessionCookieValue } from './session-cookie.js';
import { SessionStore, type StoredSession } from './session-store.js';

/** Authenticates the buyer with the session cookie. */
@Injectable()
export class SessionAuthenticator {
  constructor(
    private readonly settings: Settings,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * Returns the principal of the session whose cookie the request carries.
   *
   * @throws {AppError} `unauthenticated` when the cookie is missing, or its session does not exist,
   *   has expired or was revoked.
   */
  async authenticate({ headers, signal }: SignInRequest): Promise<SessionPrincipal> {
    const value = sessionCookieValue(headers, this.settings.sessionCookie);
    if (value === undefined) throw new AppError('unauthenticated', { rejectionReason: 'missing' });
    const session = await callPort('SessionStore', () => this.sessions.find(value, signal));
    if (!session) throw new AppError('unauthenticated', { rejectionReason: 'no_session' });
    const rejectionReason = rejectionReasonOf(session);
    if (rejectionReason) throw new AppError('unauthenticated', { rejectionReason });
    return { type: 'session', buyerId: session.buyerId };
  }
}

/**
 * Returns why a session is not valid; undefined if it is. A session without an expiry time has
 * expired, and one without `revokedAt` is revoked.
 */
function rejectionReasonOf({
  expiresAt,
  revokedAt,
}: Partial<StoredSession>): CredentialRejectionReason | undefined {
  if (revokedAt !== null) return 'revoked';
  return expiresAt instanceof Date && expiresAt.getTime() > Date.now() ? undefined : 'expired';
}
