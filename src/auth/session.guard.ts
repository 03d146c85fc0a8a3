import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { EndpointRegistry } from '../endpoint/endpoint-registry.js';
import { rawResponse, requestSignal } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { SessionPrincipal } from '../kernel/principal.js';
import { SessionStore, type StoredSession } from './session-store.js';

/** A pair of a Cookie header: its name without blanks around it, and what follows the equals sign. */
const PAIR = /^[ \t]*([^ \t=]+)[ \t]*=(.*)$/s;
/** A session's value: 16 to 4,096 cookie octets (RFC 6265, section 4.1.1), so no quotes. */
const VALUE = /^[ \t]*([\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]{16,4096})[ \t]*$/;

/**
 * The session cookie's value in a Cookie header; undefined when it is absent, of impossible shape, or there twice (one
 * of the two was planted, and which is not to be seen). Names are compared exactly: a browser lets a subdomain set one
 * that begins with U+00A0, which `trim` would take away.
 *
 * @param header as Node gives it: several Cookie headers joined with `; `.
 */
export function sessionCookieValue(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => PAIR.exec(pair));
  const [found, another] = pairs.filter((pair) => pair?.[1] === name);
  return found && !another ? VALUE.exec(found[2] ?? '')?.[1] : undefined;
}

/** Admits the buyer's session. Scopes limit what she delegates, so it holds every scope that an endpoint declares. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly settings: Settings,
    private readonly sessions: SessionStore,
    private readonly registry: EndpointRegistry,
  ) {}

  /** @throws {AppError} `unauthenticated` when no session has this value, or it has expired or was revoked. */
  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const { cookie } = rawResponse(execution).req.headers;
    const value = sessionCookieValue(cookie, this.settings.sessionCookie);
    if (value === undefined) throw new AppError('unauthenticated', { refusal: 'missing' });
    const session = await this.sessions.find(value, requestSignal(execution));
    if (!session) throw new AppError('unauthenticated', { refusal: 'no_session' });
    if (!isLive(session)) throw new AppError('unauthenticated', { refusal: 'expired' });
    const { buyerId } = session;
    const principal: SessionPrincipal = { type: 'session', buyerId, scopes: this.registry.scopes };
    Object.assign(execution.switchToHttp().getRequest<object>(), { principal });
    return true;
  }
}

/** What a store leaves out counts as the stricter value: a session without a time of expiry has expired. */
function isLive({ expiresAt, revokedAt }: Partial<StoredSession>): boolean {
  return revokedAt === null && expiresAt instanceof Date && expiresAt.getTime() > Date.now();
}
