import { Injectable } from '@nestjs/common';
import { AppError, type CredentialRejectionReason } from '../../kernel/app-error.js';
import { callPort } from '../../kernel/port.js';
import type { AssistantPrincipal } from '../../kernel/principal.js';
import type { AssistantCredential } from './access-token.js';
import { GrantStore, type StoredGrant } from './grant-store.js';

/**
 * How many milliseconds before the approval a credential may have been issued. The clocks of the
 * issuer and of the grant store differ, and `iat` is usually a whole second. A credential that was
 * issued this shortly before a revocation is therefore valid again after a new approval.
 */
const GRANT_SKEW_MS = 30_000;

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
   * @throws {AppError} `unauthenticated` when the buyer has not approved the assistant, the
   *   approval has expired, or the credential was issued before it.
   * @throws the signal's reason when the signal is aborted.
   */
  async findPrincipal(
    { buyerId, clientId, scopes, issuedAt }: AssistantCredential,
    signal: AbortSignal,
  ): Promise<AssistantPrincipal> {
    signal.throwIfAborted();
    const grant = await callPort('GrantStore', () => this.grants.find(buyerId, clientId, signal));
    if (!grant) throw rejected('no_grant');
    if (hasExpired(grant)) throw rejected('grant_expired');
    if (isOlderThan(grant, issuedAt)) throw rejected('older_than_grant');
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

function rejected(rejectionReason: CredentialRejectionReason): AppError {
  return new AppError('unauthenticated', { rejectionReason });
}

/** A time that is not valid counts as past. */
function hasExpired({ expiresAt }: StoredGrant): boolean {
  return expiresAt ? !(expiresAt.getTime() > Date.now()) : false;
}

/**
 * Returns whether a credential was issued before the buyer's approval. Approvals are renewed after
 * a revocation or an expiry, and a credential of the approval that ended must not become valid
 * again. Nothing is compared if the store or the authenticator does not have its time.
 */
function isOlderThan({ grantedAt }: StoredGrant, issuedAt?: Date): boolean {
  if (!grantedAt || !issuedAt) return false;
  return !(issuedAt.getTime() >= grantedAt.getTime() - GRANT_SKEW_MS);
}
