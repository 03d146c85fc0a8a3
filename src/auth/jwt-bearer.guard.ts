import { Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { AppError, type CredentialRejectionReason } from '../kernel/app-error.js';

/**
 * The rejection reasons by the names of jsonwebtoken's errors. They apply to tokens whose header
 * and claims have already passed the checks of `decodeAccessToken`.
 */
const REJECTION_REASONS: Readonly<Record<string, CredentialRejectionReason>> = {
  JsonWebTokenError: 'signature',
  TokenExpiredError: 'expired',
  NotBeforeError: 'not_yet_valid',
};

/**
 * The guard of `@nestjs/passport` that runs the default strategy of the module's
 * `AuthModuleOptions`. `JwtAuthenticator` calls it.
 */
@Injectable()
export class JwtBearerGuard extends AuthGuard() {
  /**
   * Maps the result of the strategy to a principal or an error. passport reports a failed key
   * download as "no user", with the error in `info`. Only a rejection becomes 401; any other error
   * becomes `auth_unverifiable`.
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
