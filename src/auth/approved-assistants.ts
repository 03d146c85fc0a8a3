import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import type { AccessToken } from './decode-access-token.js';
import { GrantStore, type StoredGrant } from './grant-store.js';

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
    if (!Array.isArray(grant.scopes)) throw new Error('the grant store returned no list of scopes');
    const granted: readonly unknown[] = grant.scopes;
    // What a port leaves out counts as the stricter value.
    const { isHosted, changesGranted }: Partial<Record<keyof StoredGrant, unknown>> = grant;
    return {
      type: 'assistant',
      buyerId,
      clientId,
      scopes: new Set(scopes.filter((scope) => granted.includes(scope))),
      isHosted: isHosted !== false,
      seesChanges: changesGranted === true,
    };
  }
}
