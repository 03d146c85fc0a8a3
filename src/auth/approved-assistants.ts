import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import type { AccessToken } from './access-token.js';
import { GrantStore } from './grant-store.js';

/**
 * Makes of a verified credential the assistant that presents it. The buyer's approval is looked up on every call,
 * so that a revocation shows on the very next one.
 */
@Injectable()
export class ApprovedAssistants {
  constructor(private readonly grants: GrantStore) {}

  /**
   * @param signal of the request: `requestSignal(context)`.
   * @throws {AppError} `unauthenticated` when the buyer has not approved the assistant.
   */
  async findPrincipal(
    { buyerId, clientId, scopes }: Pick<AccessToken, 'buyerId' | 'clientId' | 'scopes'>,
    signal: AbortSignal,
  ): Promise<AssistantPrincipal> {
    const grant = await this.grants.find(buyerId, clientId, signal);
    if (!grant) throw new AppError('unauthenticated', { rejectionReason: 'no_grant' });
    return {
      type: 'assistant',
      buyerId,
      clientId,
      scopes: new Set(grant.scopes.filter((scope) => scopes.includes(scope))),
      isHosted: grant.isHosted,
      seesChanges: grant.changesGranted,
    };
  }
}
