import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { contextOf } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import { AssistantAuthenticator } from './assistant-authenticator.js';
import { bearerToken } from './bearer-header.js';
import { BearerSignIn } from './bearer-sign-in.js';
import { JwtBearerGuard } from './jwt-bearer.guard.js';

/** Authenticates an assistant by a JWT access token, with the guard of `@nestjs/passport`. */
@Injectable()
export class JwtAuthenticator extends AssistantAuthenticator {
  // The guard is injected as a property because the constructor of a public class is part of the
  // package's API.
  @Inject() private readonly guard!: JwtBearerGuard;

  /**
   * @throws {AppError} `unauthenticated` for a token that is not valid, `auth_unverifiable` for one
   *   that could not be verified.
   */
  override async authenticate(
    execution: ExecutionContext,
    signal: AbortSignal,
  ): Promise<AssistantPrincipal | null> {
    const token = bearerToken(execution);
    if (token === undefined) {
      throw new AppError('unauthenticated', { rejectionReason: 'malformed' });
    }
    const { protectedResource } = contextOf(execution);
    const signIn = new BearerSignIn(token, protectedResource?.audiences, signal);
    await this.guard.canActivate(new ExecutionContextHost([signIn]));
    // There is no principal if the strategy called `pass()`, because passport then admits the
    // request without one.
    return signIn.principal ?? null;
  }
}
