import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../kernel/app-error.js';
import { accessTerms } from './access.decorator.js';

/** Refuses a principal whose credential does not hold the handler's scope, compared exactly. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const terms = accessTerms(execution);
    if (!terms) return true;
    const { principal } = execution.switchToHttp().getRequest<FastifyRequest>().raw.context;
    if (!principal) throw new AppError('unauthenticated');
    if (!principal.scopes.has(terms.scope)) throw new AppError('insufficient_scope');
    return true;
  }
}
