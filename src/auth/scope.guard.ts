import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { policyOf } from '../http/endpoint-policy.js';
import { principalOf } from '../http/request-context.js';
import { checkScope } from './check-scope.js';

/** Rejects a principal that may not call the endpoint, by its type or the scopes of its credential. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    checkScope(policyOf(execution), principalOf(execution));
    return true;
  }
}
