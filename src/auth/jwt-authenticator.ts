import { performance } from 'node:perf_hooks';
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { contextOf } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import { AssistantAuthenticator } from './assistant-authenticator.js';
import { bearerToken } from './bearer-header.js';
import { BearerSignIn } from './bearer-sign-in.js';
import { JwtBearerGuard } from './jwt-bearer.guard.js';
import { TokenIssuer } from './token-issuer.js';

/** Authenticates an assistant by a JWT access token, with the guard of `@nestjs/passport`. */
@Injectable()
export class JwtAuthenticator extends AssistantAuthenticator {
  // The dependencies are injected as properties because the constructor of a public class is part
  // of the package's API.
  @Inject() private readonly guard!: JwtBearerGuard;
  @Inject() private readonly issuer!: TokenIssuer;

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
    const call = new ExecutionContextHost([signIn]);
    const startedAt = performance.now();
    try {
      await this.guard.canActivate(call);
    } catch (error) {
      const isForged = error instanceof AppError && error.rejectionReason === 'signature';
      if (!isForged || !(await this.issuer.renewKeys(startedAt))) throw error;
      // The issuer may have published another key under the same id.
      signal.throwIfAborted();
      await this.guard.canActivate(call);
    }
    // There is no principal if the strategy called `pass()`, because passport then admits the
    // request without one.
    return signIn.principal ?? null;
  }
}
