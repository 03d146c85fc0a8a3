import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-jwt';
import { AppError } from '../../kernel/app-error.js';
import type { AssistantAuthenticator } from './assistant-authenticator.js';
import { bearerToken } from './bearer-header.js';

export const ACCESS_TOKEN_STRATEGY = 'access-token';

/** What the bearer guard hands to the strategy with each call. */
export interface AccessTokenOptions {
  readonly signIn: AssistantAuthenticator;
}

/**
 * The `passport-jwt` strategy of bearer access tokens, made strict.
 *
 * passport-jwt's own check is replaced: it hands the token to `jsonwebtoken`, which verifies the signature
 * on every request (a verified token is remembered here), accepts ID tokens, unknown critical headers and
 * tokens without `exp` or `sub`, and cannot accept a token that is no JWT, as a team's verifier may. What
 * remains of passport is the template: a strategy that succeeds or errs, and `handleRequest` in the guard,
 * which keeps 401 and 503 apart.
 *
 * passport keeps strategies by name for the whole process, so this one has no state: with two
 * applications in one process, each call brings the sign-in of its own.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy, ACCESS_TOKEN_STRATEGY) {
  constructor() {
    super({
      jwtFromRequest: () => null,
      secretOrKeyProvider: (_request, _token, done) => done(new AppError('auth_unverifiable')),
    });
  }

  override authenticate(request: unknown, options: AccessTokenOptions): void {
    const { raw } = request as FastifyRequest;
    const token = bearerToken(raw);
    if (token === undefined) {
      this.error(new AppError('unauthenticated'));
      return;
    }
    const { deadline, protectedResource } = raw.context;
    options.signIn.principalOf(token, deadline, protectedResource?.audiences).then(
      (principal) => this.success(principal),
      (error: unknown) =>
        this.error(error instanceof Error ? error : new AppError('auth_unverifiable')),
    );
  }

  /** passport-jwt would ask this after its own check, which never runs. */
  validate(): never {
    throw new AppError('auth_unverifiable');
  }
}
