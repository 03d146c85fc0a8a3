import { Injectable } from '@nestjs/common';
import { AppError, type CredentialRejectionReason } from '../../kernel/app-error.js';
import type { AssistantPrincipal } from '../../kernel/principal.js';
import { TokenIssuer } from '../issuer/token-issuer.js';
import { readAccessToken } from './access-token.js';
import { AccessTokenStrategy, type PresentedToken } from './access-token.strategy.js';
import type { SignInRequest } from '../sign-in-request.js';
import { AssistantAuthenticator } from './assistant-authenticator.js';
import { bearerToken } from './bearer-header.js';

/**
 * The rejection reasons by the names of jsonwebtoken's errors. They apply to tokens whose header
 * and claims `readAccessToken` has already checked.
 */
const REJECTION_REASONS: Readonly<Record<string, CredentialRejectionReason>> = {
  JsonWebTokenError: 'signature',
  TokenExpiredError: 'expired',
  NotBeforeError: 'not_yet_valid',
};

/** Authenticates an assistant by a JWT access token, with the strategy of passport-jwt. */
@Injectable()
export class JwtAuthenticator extends AssistantAuthenticator {
  /** @internal */
  constructor(
    private readonly strategy: AccessTokenStrategy,
    private readonly issuer: TokenIssuer,
  ) {
    super();
  }

  /**
   * @throws {AppError} `unauthenticated` for a token that is not valid, `auth_unverifiable` for one
   *   that could not be verified.
   */
  override async authenticate({
    headers,
    signal,
    resource,
  }: SignInRequest): Promise<AssistantPrincipal> {
    const token = bearerToken(headers);
    if (token === undefined) {
      const rejectionReason = headers['authorization'] === undefined ? 'missing' : 'malformed';
      throw new AppError('unauthenticated', { rejectionReason });
    }
    const { issuer, format, audiences } = this.issuer;
    const expected = { issuer, format, audiences: resource?.audiences ?? audiences };
    const read = readAccessToken(token, expected, Date.now() / 1000);
    return this.#verify({ ...read, token, signal });
  }

  /** Runs the strategy; passport passes its result to the callback instead of a response. */
  #verify(presented: PresentedToken): Promise<AssistantPrincipal> {
    return new Promise((resolve, reject) => {
      const fail = (reason: unknown): void => reject(errorOf(reason));
      const authenticate = this.strategy.passport.authenticate(
        this.strategy.name,
        { session: false },
        (error: unknown, principal: AssistantPrincipal | false, info: unknown) => {
          if (principal) resolve(principal);
          else fail(error ?? info);
        },
      ) as (request: object, response: undefined, next: (error: unknown) => void) => void;
      // passport adds its own methods to the request. It calls `next` without a decision.
      authenticate({ ...presented }, undefined, fail);
    });
  }
}

/**
 * Maps a failure of the strategy to an error of the service. passport reports a failed key download
 * as "no user", with the error as its information. Only a rejection becomes 401; any other error
 * becomes `auth_unverifiable`.
 */
function errorOf(reason: unknown): AppError {
  if (reason instanceof AppError) return reason;
  const rejectionReason = reason instanceof Error ? REJECTION_REASONS[reason.name] : undefined;
  return rejectionReason
    ? new AppError('unauthenticated', { cause: reason, rejectionReason })
    : new AppError('auth_unverifiable', { cause: reason });
}
