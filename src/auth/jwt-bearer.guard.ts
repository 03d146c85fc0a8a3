import { Injectable, type ExecutionContext, type Type } from '@nestjs/common';
import { AuthGuard, type IAuthGuard } from '@nestjs/passport';
import { rawResponse } from '../http/request-context.js';
import { AppError, type CredentialRejectionReason } from '../kernel/app-error.js';
import type { AssistantAuthenticator } from './assistant-authenticator.js';
import { bearerToken } from './bearer-header.js';

/** The errors with which jsonwebtoken rejects a token whose header and claims are valid. */
const REJECTION_REASONS: Readonly<Record<string, CredentialRejectionReason>> = {
  JsonWebTokenError: 'signature',
  TokenExpiredError: 'expired',
  NotBeforeError: 'not_yet_valid',
};

/** Nest's passport guard without a strategy of its own: the base of `JwtBearerGuard`. */
export const PassportGuard: Type<IAuthGuard> = AuthGuard();

/**
 * Authenticates an assistant by a JWT access token, with the passport strategy that the module's
 * `AuthModuleOptions` name.
 */
@Injectable()
export class JwtBearerGuard extends PassportGuard implements AssistantAuthenticator {
  override async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (bearerToken(rawResponse(execution).req.rawHeaders) === undefined) {
      throw new AppError('unauthenticated', { rejectionReason: 'malformed' });
    }
    return (await super.canActivate(execution)) as boolean;
  }

  /**
   * Maps what the strategy reports: passport passes a failed key download as "no user" with the
   * error in `info`. Only a rejection is 401; after any other error the token counts as not
   * verifiable.
   */
  override handleRequest<TUser>(error: unknown, principal: TUser | false, info: unknown): TUser {
    const reason = error ?? info;
    if (reason instanceof AppError) throw reason;
    const rejectionReason = reason instanceof Error ? REJECTION_REASONS[reason.name] : undefined;
    if (rejectionReason) throw new AppError('unauthenticated', { cause: reason, rejectionReason });
    if (reason || !principal) throw new AppError('auth_unverifiable', { cause: reason });
    return principal;
  }
}
