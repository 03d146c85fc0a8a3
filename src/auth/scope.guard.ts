import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { admitsType, endpointPolicy, type EndpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';

/**
 * Rejects a principal of a type that the endpoint does not admit (`forbidden`), and one whose credential
 * does not hold the endpoint's scope, compared exactly (`insufficient_scope`).
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const policy = endpointPolicy(execution);
    if (!policy) return true;
    const { principal } = execution.switchToHttp().getRequest<FastifyRequest>().raw.context;
    if (!principal) throw new AppError('unauthenticated');
    assertAdmitted(policy, principal);
    return true;
  }
}

/** @throws {AppError} `forbidden` or `insufficient_scope`. */
export function assertAdmitted(policy: EndpointPolicy, principal: Principal): void {
  if (!admitsType(policy, principal.type)) throw new AppError('forbidden');
  const { scope } = policy;
  if (!principal.scopes.has(scope)) throw new AppError('insufficient_scope', { scope });
}
