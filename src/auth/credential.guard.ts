import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { PRINCIPAL_TYPES } from '../kernel/principal.js';
import { BearerGuard } from './access-token/bearer.guard.js';
import { SessionGuard } from './session/session.guard.js';

/**
 * Finds out who is calling: the first of the four guards. Afterwards the request's context holds a
 * principal, or the call was refused with `unauthenticated` or `auth_unverifiable`.
 *
 * An Authorization header decides alone, with any content: a bad one is refused even beside a live
 * session. Without one, the session cookie decides. Tokens in the query or the body, and API keys in
 * headers of any name, are not looked at.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly bearer: BearerGuard,
    private readonly session: SessionGuard,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const policy = endpointPolicy(execution);
    if (!policy) return true;
    const { raw } = execution.switchToHttp().getRequest<FastifyRequest>();
    raw.context.policy = policy;
    raw.context.deadline.throwIfOver();

    // A session opens no endpoint with a protocol of its own: a web page could send one along.
    const isBearer = raw.headers.authorization !== undefined || policy.protocol !== undefined;
    const path = isBearer ? this.bearer : this.session;
    await path.canActivate(execution);

    // Neither path is trusted to have named someone: passport lets a request in when a strategy passes.
    const principal = raw.context.principal;
    if (!principal || !PRINCIPAL_TYPES.includes(principal.type))
      throw new AppError('unauthenticated');
    return true;
  }
}
