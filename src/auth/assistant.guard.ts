import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import type { AccessToken } from './decode-access-token.js';
import { GrantStore } from './grant-store.js';

/**
 * Admits an assistant by its Authorization header. The default is `JwtBearerGuard`: JWT access tokens of the
 * configured issuer.
 *
 * Guarantees: it returns true only after it has put an `AssistantPrincipal` on `request.principal`, made from what it
 * has verified; `ApprovedAssistants` makes one from a buyer, an assistant and scopes.
 * Must never: admit a credential that it could not verify, or log it.
 * When it fails: `UnauthorizedException`, `AppError` with `unauthenticated` and false are 401; anything else it throws,
 * and taking over a second, is 503 `auth_unverifiable`. `requestSignal(context)` is the request's time.
 */
export abstract class AssistantGuard implements CanActivate {
  abstract canActivate(context: ExecutionContext): Promise<boolean>;
}

/**
 * Turns a verified credential into the assistant that presents it. A token alone is not enough: the buyer's
 * approval is looked up on every call, so that a revocation shows on the very next one.
 */
@Injectable()
export class ApprovedAssistants {
  constructor(private readonly grants: GrantStore) {}

  /**
   * @param token what was verified.
   * @param signal of the request: `requestSignal(context)`.
   * @throws {AppError} `unauthenticated` when the buyer has not approved the assistant.
   */
  async principalOf(
    { buyerId, clientId, scopes }: Pick<AccessToken, 'buyerId' | 'clientId' | 'scopes'>,
    signal: AbortSignal,
  ): Promise<AssistantPrincipal> {
    const grant = await this.grants.find(buyerId, clientId, signal);
    if (!grant) throw new AppError('unauthenticated', { refusal: 'no_grant' });
    return {
      type: 'assistant',
      buyerId,
      clientId,
      scopes: new Set(grant.scopes.filter((scope) => scopes.includes(scope))),
      // `CredentialGuard` counts what a store leaves out as the stricter value.
      isHosted: grant.isHosted,
      seesChanges: grant.changesGranted,
    };
  }
}
