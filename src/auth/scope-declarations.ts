import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RouteDiscovery } from '../http/route-discovery.js';
import { RequireScope } from './require-scope.decorator.js';
import { GuardDiscovery, type RouteGuards } from './guard-discovery.js';

/** One scope token (RFC 6749, section 3.3). */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Checks, at boot, that handlers with sign-in have one guard for it and declare one scope. */
@Injectable()
export class ScopeDeclarations implements OnModuleInit {
  constructor(
    private readonly discovery: RouteDiscovery,
    private readonly guards: GuardDiscovery,
  ) {}

  /**
   * Checks the scope and the guards of each handler.
   *
   * @throws {Error} with one line for each scope that is missing, is not a single token or is not
   *   checked by a guard, and for each handler with more than one sign-in.
   */
  onModuleInit(): void {
    const scopes = new Map(
      this.discovery.declarations(RequireScope).map(({ route, value }) => [route, value]),
    );
    const problems = this.discovery.routes.flatMap((route) => {
      const found = problemsOf(scopes.get(route), this.guards.guardsOf(route));
      return Array.from(found, (problem) => `${route.name}: ${problem}`);
    });
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }
}

function* problemsOf(
  scope: string | undefined,
  { hasBoundGuard, signInGuardCount, hasBuyerAuthGuard }: RouteGuards,
): Generator<string> {
  if (signInGuardCount > 1) {
    yield 'more than one guard signs the caller in: use @Endpoint or one BuyerAuthGuard';
  }
  if (scope === undefined) {
    if (hasBuyerAuthGuard) yield 'declare the scope for BuyerAuthGuard with @RequireScope';
    return;
  }
  if (!SCOPE_TOKEN.test(scope)) yield 'scope: expected one token without blanks or quotes';
  if (signInGuardCount === 0 && !hasBoundGuard) {
    yield 'no guard checks @RequireScope: add @UseGuards(BuyerAuthGuard)';
  }
}
