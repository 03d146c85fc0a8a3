import { Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { AppError, type CredentialRejectionReason } from '../kernel/app-error.js';

/** The errors with which jsonwebtoken rejects a token whose header and claims are valid. */
const REJECTION_REASONS: Readonly<Record<string, CredentialRejectionReason>> = {
  JsonWebTokenError: 'signature',
  TokenExpiredError: 'expired',
  NotBeforeError: 'not_yet_valid',
};

/**
 * The guard of `@nestjs/passport` that runs the strategy which the module's `AuthModuleOptions`
 * name. `JwtAuthenticator` calls it.
 */
@Injectable()
export class JwtBearerGuard extends AuthGuard() {
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
