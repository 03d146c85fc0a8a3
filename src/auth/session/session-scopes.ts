import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { EndpointRegistry } from '../../http/endpoint-registry.js';
import { frozenSet, READ_SCOPE } from '../../kernel/principal.js';

/** The token of the scopes that a team names for sessions; null where it names none. */
export const SESSION_SCOPES = Symbol('session scopes');

/**
 * The scopes of the buyer's own session. Scopes limit what the buyer delegates, so by default her session
 * holds every scope that an endpoint declares; a team may name those it holds besides the contract's.
 */
@Injectable()
export class SessionScopes implements OnModuleInit {
  #scopes: ReadonlySet<string> | undefined;

  constructor(
    private readonly registry: EndpointRegistry,
    @Inject(SESSION_SCOPES) private readonly named: readonly string[] | null,
  ) {}

  /** @throws {Error} for a scope that no endpoint declares: it is misspelt, and would do nothing. */
  onModuleInit(): void {
    const unknown = (this.named ?? []).filter((scope) => !this.registry.scopes.has(scope));
    if (unknown.length > 0) {
      throw new Error(`sessionScopes: no endpoint declares ${unknown.join(', ')}`);
    }
  }

  get all(): ReadonlySet<string> {
    this.#scopes ??= this.named ? frozenSet([READ_SCOPE, ...this.named]) : this.registry.scopes;
    return this.#scopes;
  }
}
