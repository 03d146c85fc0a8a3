import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { rawHttp } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { AssistantGuard } from './assistant.guard.js';
import { bearerToken } from './bearer-header.js';

/** The errors with which passport-jwt's library refutes a token. */
const REFUTATIONS = ['JsonWebTokenError', 'TokenExpiredError', 'NotBeforeError'];

/**
 * Admits an assistant by a JWT access token: passport with the strategy of this application, which its
 * `AuthModuleOptions` name.
 */
@Injectable()
export class JwtBearerGuard extends AuthGuard() implements AssistantGuard {
  override async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (bearerToken(rawHttp(execution).request) === undefined) {
      throw new AppError('unauthenticated');
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
    if (reason instanceof Error && REFUTATIONS.includes(reason.name)) {
      throw new AppError('unauthenticated', { cause: reason });
    }
    if (reason || !principal) throw new AppError('auth_unverifiable', { cause: reason });
    return principal;
  }
}
