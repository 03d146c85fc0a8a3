import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import type { AssistantPrincipal } from '../../kernel/principal.js';
import { AccessTokenVerifier } from './access-token-verifier.js';
import { parseBuyerId } from '../parse-buyer-id.js';
import { withAuthTimeout } from '../with-auth-timeout.js';
import { GrantStore } from './grant-store.js';

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
    return withAuthTimeout(deadline, this.#find(token, deadline, audiences));
  }

  async #find(
    token: string,
    deadline: Deadline,
    audiences?: readonly string[],
  ): Promise<AssistantPrincipal> {
    const accessToken = await this.verifier.verify(token, deadline);
    const { buyerId: subject, clientId, scopes } = accessToken;
    // On every call: a token that was verified for one resource is remembered, and opens no other.
    if (audiences && !accessToken.audiences?.some((audience) => audiences.includes(audience))) {
      throw new AppError('unauthenticated');
    }
    const buyerId = parseBuyerId(subject);
    if (buyerId === undefined) throw new AppError('unauthenticated');
    const grant = await this.grants.find(buyerId, clientId, deadline);
    if (!grant) throw new AppError('unauthenticated');
    return {
      type: 'assistant',
      buyerId,
      clientId,
      scopes: new Set(scopes.filter((scope) => grant.scopes.includes(scope))),
      isHosted: grant.isHosted,
      seesChanges: grant.changesGranted,
    };
  }
}
