import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { checkScope } from './check-scope.js';

/** Rejects a principal that may not call the endpoint, by its type or the scopes of its credential. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const policy = endpointPolicy(execution);
    if (!policy) return true;
    const { principal } = execution.switchToHttp().getRequest<FastifyRequest>().raw.context;
    if (!principal) throw new AppError('unauthenticated');
    checkScope(policy, principal);
    return true;
  }
}
