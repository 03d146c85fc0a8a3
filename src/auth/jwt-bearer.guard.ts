import type { IncomingMessage } from 'node:http';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { rawHttp } from '../http/request-context.js';
import { AppError, type Refusal } from '../kernel/app-error.js';
import type { AssistantGuard } from './assistant.guard.js';

/** RFC 6750, section 2.1: the scheme in any case, blanks, and one token of the `b64token` alphabet. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of a request's one Authorization header, or undefined when the header does not hold exactly
 * one bearer token, or is sent twice: Node silently keeps the first in `headers`.
 */
export function bearerToken({
  rawHeaders,
}: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization' && index % 2 === 1,
  );
  return values.length === 1 ? BEARER.exec(values[0] ?? '')?.[1] : undefined;
}

/** The errors with which passport-jwt's library refutes a token whose header and claims are in order. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  JsonWebTokenError: 'signature',
  TokenExpiredError: 'expired',
  NotBeforeError: 'not_yet_valid',
};

/**
 * Admits an assistant by a JWT access token: passport with the strategy of this application, which its
 * `AuthModuleOptions` name.
 */
@Injectable()
export class JwtBearerGuard extends AuthGuard() implements AssistantGuard {
  override async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (bearerToken(rawHttp(execution).request) === undefined) {
      throw new AppError('unauthenticated', { refusal: 'malformed' });
    }
    return (await super.canActivate(execution)) as boolean;
  }

  /**
   * passport hands over what the strategy reports: a failed key download as "no user" with the error in `info`. Only
   * a refutation is 401; anything else leaves the token unverifiable.
   */
  override handleRequest<TUser>(error: unknown, principal: TUser | false, info: unknown): TUser {
    const reason = error ?? info;
    if (reason instanceof AppError) throw reason;
    const refusal = reason instanceof Error ? REFUSALS[reason.name] : undefined;
    if (refusal) throw new AppError('unauthenticated', { cause: reason, refusal });
    if (reason || !principal) throw new AppError('auth_unverifiable', { cause: reason });
    return principal;
  }
}
