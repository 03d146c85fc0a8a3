import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, type AuthGuardAuthenticateOptions } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/app-error.js';
import type { AssistantPrincipal } from '../../kernel/principal.js';
import { ACCESS_TOKEN_STRATEGY } from './access-token.strategy.js';
import { AssistantAuthenticator } from './assistant-authenticator.js';

/** The path of a call that carries an Authorization header: passport with the access token strategy. */
@Injectable()
export class BearerGuard extends AuthGuard(ACCESS_TOKEN_STRATEGY) {
  readonly #authenticateOptions: AuthGuardAuthenticateOptions;

  constructor(signIn: AssistantAuthenticator) {
    super();
    this.#authenticateOptions = { session: false, signIn };
  }

  override getAuthenticateOptions(): AuthGuardAuthenticateOptions {
    return this.#authenticateOptions;
  }

  /**
   * passport hands over what the strategy said. Its own reading of "no user" is a failed login, also
   * when the strategy could not decide; here only a refutation is one, and all else is unverifiable.
   */
  override handleRequest<TUser = AssistantPrincipal>(
    error: unknown,
    principal: TUser | false | undefined,
    info: unknown,
    execution: ExecutionContext,
  ): TUser {
    const reason = error ?? (info instanceof Error ? info : undefined);
    if (reason instanceof AppError) throw reason;
    if (reason) throw new AppError('auth_unverifiable', { cause: reason });
    if (!principal) throw new AppError('unauthenticated');
    const { raw } = execution.switchToHttp().getRequest<FastifyRequest>();
    raw.context.principal = principal as unknown as AssistantPrincipal;
    return principal;
  }
}
