import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import type { AssistantCredential } from './access-token.js';
import { GrantStore } from './grant-store.js';

/**
 * Turns a verified credential into the principal of an assistant. The buyer's approval is looked up
 * on every call, so that a revocation takes effect on the next one.
 */
@Injectable()
export class ApprovedAssistants {
  constructor(private readonly grants: GrantStore) {}

  /**
   * @param signal aborted when the sign-in has to end; after that no approval is looked up.
   * @returns the assistant, with the scopes that both the approval and the credential contain.
   * @throws {AppError} `unauthenticated` when the buyer has not approved the assistant.
   * @throws the signal's reason when the signal is aborted.
   */
  async findPrincipal(
    { buyerId, clientId, scopes }: AssistantCredential,
    signal: AbortSignal,
  ): Promise<AssistantPrincipal> {
    signal.throwIfAborted();
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
