import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import { frozenPrincipal, frozenSet, type AssistantPrincipal } from '../../kernel/principal.js';
import { parseUuid } from '../../kernel/uuid.js';
import { AccessTokenVerifier } from './access-token-verifier.js';
import { withAuthTimeout } from '../with-auth-timeout.js';
import { GrantStore, type StoredGrant } from './grant-store.js';

/**
 * Turns an access token into the assistant that presents it. A token alone is not enough: the buyer's
 * approval is looked up on every call, so that a revocation shows on the very next one.
 */
@Injectable()
export class AssistantAuthenticator {
  constructor(
    private readonly verifier: AccessTokenVerifier,
    private readonly grants: GrantStore,
  ) {}

  /**
   * @param audiences the token must be for one of these; default: any that the verifier accepts.
   * @throws {AppError} `unauthenticated` when the token is refuted or has no approval;
   *   `auth_unverifiable` when that is unknown.
   */
  principalOf(
    token: string,
    deadline: Deadline,
    audiences?: readonly string[],
  ): Promise<AssistantPrincipal> {
    return withAuthTimeout(deadline, (limit) => this.#find(token, limit, audiences));
  }

  async #find(
    token: string,
    deadline: Deadline,
    audiences: readonly string[] | undefined,
  ): Promise<AssistantPrincipal> {
    const verified = await this.verifier.verify(token, deadline);
    // On every call: a token that was verified for one resource is remembered, and opens no other.
    if (audiences && !listOf(verified.audiences).some((name) => audiences.includes(name))) {
      throw new AppError('unauthenticated');
    }
    const { buyerId: subject, clientId } = verified;
    const buyerId = parseUuid(subject);
    if (buyerId === undefined || typeof clientId !== 'string' || clientId === '') {
      throw new AppError('unauthenticated');
    }
    const grant = await this.grants.find(buyerId, clientId, deadline);
    if (!grant) throw new AppError('unauthenticated');
    if (!Array.isArray(grant.scopes)) throw new Error('the grant store returned no list of scopes');
    const granted = scopesOf(grant);
    // What a port leaves out counts as the stricter value.
    const { isHosted, changesGranted }: Partial<Record<keyof StoredGrant, unknown>> = grant;
    return frozenPrincipal({
      type: 'assistant',
      buyerId,
      clientId,
      scopes: frozenSet(scopesOf(verified).filter((scope) => granted.includes(scope))),
      isHosted: isHosted !== false,
      seesChanges: changesGranted === true,
    });
  }
}

/** The scopes of a token or a grant; of anything but a list of texts none. */
function scopesOf({ scopes }: { readonly scopes?: unknown }): readonly string[] {
  return listOf(scopes);
}

/** What a port returned, as a list of texts. */
function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
