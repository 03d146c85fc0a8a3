import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { writeChallenge } from '../http/challenge.js';
import { declarationOf, requiredDeclarationOf } from '../http/handler-declaration.js';
import { contextOf, principalOf, rawResponse } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal, PrincipalType } from '../kernel/principal.js';
import { AdmitPrincipals, RequireScope } from './require-scope.decorator.js';

/** The requirements that a handler has for its caller's credential. */
export interface AccessRequirements {
  /** The scope that the credential must hold. */
  readonly scope: string;
  /** The types of principal that are admitted. Default: all. */
  readonly principals?: readonly PrincipalType[] | undefined;
}

/**
 * Admits a caller whose credential holds the scope that the handler declares with `@RequireScope`.
 * Rejects other callers with 403 and a challenge that names the scope (contract, section 5). A
 * caller whose type is not admitted gets 403 without a challenge, because no other scope would help.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const scope = requiredDeclarationOf(RequireScope, execution, 'RequireScope');
    const principals = declarationOf(AdmitPrincipals, execution);
    const principal = principalOf(execution);
    const context = contextOf(execution);
    context.requiredScope = scope;
    try {
      assertAccess({ scope, principals }, principal);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'insufficient_scope') {
        writeChallenge(rawResponse(execution), context, 'insufficient_scope', scope);
      }
      throw error;
    }
  }
}

/**
 * Checks that a principal meets the requirements of a handler.
 *
 * @throws {AppError} `forbidden` for a type of principal that is not admitted; `insufficient_scope`
 *   if the credential does not hold the scope. Scopes are compared exactly.
 */
export function assertAccess(
  { principals, scope }: AccessRequirements,
  principal: Principal,
): void {
  if (principals?.includes(principal.type) === false) throw new AppError('forbidden');
  if (!principal.scopes.has(scope)) throw new AppError('insufficient_scope', { scope });
}
