import { Injectable, type OnModuleInit } from '@nestjs/common';
import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import { RouteDiscovery, type Route } from '../http/route-discovery.js';
import { BuyerAuthGuard } from './buyer-auth.guard.js';
import { RequireScope } from './require-scope.decorator.js';

/** One scope token (RFC 6749, section 3.3). */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Checks, at boot, the scopes that handlers require of their callers. */
@Injectable()
export class ScopeDeclarations implements OnModuleInit {
  constructor(private readonly discovery: RouteDiscovery) {}

  /**
   * Checks the scope of each handler.
   *
   * @throws {Error} with one line for each scope that is missing or is not a single token.
   */
  onModuleInit(): void {
    const declarations = this.discovery.declarations(RequireScope);
    const malformed = declarations
      .filter(({ value }) => !SCOPE_TOKEN.test(value))
      .map(({ route }) => `${route.name}: scope: expected one token without blanks or quotes`);
    const declared = new Set(declarations.map(({ route }) => route));
    const missing = this.discovery.routes
      .filter((route) => !declared.has(route) && isGuarded(route))
      .map(({ name }) => `${name}: declare the scope for BuyerAuthGuard with @RequireScope`);
    const problems = [...malformed, ...missing];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }
}

function isGuarded({ controller, handler }: Route): boolean {
  return [handler, controller].some((target) => {
    const guards: unknown = Reflect.getMetadata(GUARDS_METADATA, target);
    return Array.isArray(guards) && guards.includes(BuyerAuthGuard);
  });
}
