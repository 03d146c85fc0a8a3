import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { rawResponse } from '../http/request-context.js';
import { requestSignal } from '../http/request-parameters.js';
import { AppError } from '../kernel/app-error.js';
import type { SessionPrincipal } from '../kernel/principal.js';
import { DeclaredScopes } from './declared-scopes.js';
import { sessionCookieValue } from './session-cookie.js';
import { SessionStore, type StoredSession } from './session-store.js';

/**
 * Authenticates the buyer's session. Scopes limit what the buyer delegates, so a session holds
 * every scope that an endpoint declares.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly settings: Settings,
    private readonly sessions: SessionStore,
    private readonly declared: DeclaredScopes,
  ) {}

  /**
   * @throws {AppError} `unauthenticated` when no session has this value, or it has expired or was
   *   revoked.
   */
  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const { cookie } = rawResponse(execution).req.headers;
    const value = sessionCookieValue(cookie, this.settings.sessionCookie);
    if (value === undefined) throw new AppError('unauthenticated', { rejectionReason: 'missing' });
    const session = await this.sessions.find(value, requestSignal(execution));
    if (!session) throw new AppError('unauthenticated', { rejectionReason: 'no_session' });
    if (!isLive(session)) throw new AppError('unauthenticated', { rejectionReason: 'expired' });
    const { buyerId } = session;
    const principal: SessionPrincipal = { type: 'session', buyerId, scopes: this.declared.scopes };
    Object.assign(execution.switchToHttp().getRequest<object>(), { principal });
    return true;
  }
}

/** A missing value counts as the stricter one: a session without a time of expiry has expired. */
function isLive({ expiresAt, revokedAt }: Partial<StoredSession>): boolean {
  return revokedAt === null && expiresAt instanceof Date && expiresAt.getTime() > Date.now();
}
