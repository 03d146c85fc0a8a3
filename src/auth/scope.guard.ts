import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { requiredDeclarationOf } from '../http/handler-declaration.js';
import { contextOf, principalOf } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal, PrincipalType } from '../kernel/principal.js';

/** The requirements that a handler has for its caller. */
export interface Access {
  /** The scope that an assistant must hold. */
  readonly scope: string;
  /** The types of principal that are admitted. Default: all. */
  readonly principals?: readonly PrincipalType[] | undefined;
}

/** Declares the requirements of a handler, or of every handler of a controller. */
export const AccessRequirements = Reflector.createDecorator<Access>();

/**
 * Admits the buyer's session, and an assistant whose token and approval hold the scope that the
 * handler requires. Rejects other callers with 403, and a challenge that names the scope (contract,
 * section 5). A caller whose type is not admitted gets 403 without a challenge, because no other
 * scope would help.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const access = requiredDeclarationOf(AccessRequirements, execution, 'RequireScope');
    contextOf(execution).requiredScope = access.scope;
    assertAccess(access, principalOf(execution));
    return true;
  }
}

/**
 * Checks that a principal meets the requirements of a handler. Scopes limit what a buyer delegates,
 * so only assistants need them; they are compared exactly.
 *
 * @throws {AppError} `forbidden` for a type of principal that is not admitted; `insufficient_scope`
 *   for an assistant without the scope.
 */
export function assertAccess({ principals, scope }: Access, principal: Principal): void {
  if (principals?.includes(principal.type) === false) throw new AppError('forbidden');
  if (principal.type === 'assistant' && !principal.scopes.has(scope)) {
    throw new AppError('insufficient_scope', { scope });
  }
}
