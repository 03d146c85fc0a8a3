import { Injectable } from '@nestjs/common';
import { RouteDiscovery } from '../http/route-discovery.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { RequireScope } from './require-scope.decorator.js';

/** The scopes that the handlers of the application declare. The buyer's session has all of them. */
@Injectable()
export class DeclaredScopes {
  #scopes: ReadonlySet<string> | undefined;

  constructor(private readonly discovery: RouteDiscovery) {}

  /**
   * The scopes, collected on the first call, because controllers are complete only after the
   * application has started.
   */
  get scopes(): ReadonlySet<string> {
    const declared = () => this.discovery.declarations(RequireScope).map(({ value }) => value);
    return (this.#scopes ??= new Set([READ_SCOPE, ...declared()]));
  }
}
