import { Injectable } from '@nestjs/common';
import type { Statement } from '../database/cancellable-reads.js';
import { ReadDatabase } from '../database/read-database.js';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import type { AccessToken } from './access-token.js';

/** A buyer's approval of an assistant, with what her account allows it besides. */
export interface StoredGrant {
  readonly scopes: readonly string[];
  readonly isHosted: boolean;
  /** The buyer's account was granted the `changes` object. */
  readonly changesGranted: boolean;
}

/**
 * Where approvals are kept: a token is valid only while its approval is. The default is `PostgresGrantStore`.
 *
 * Guarantees: a grant revoked before the call began is not returned.
 * Must never: write, or return a cached grant that outlives a revocation.
 * When it fails: any error, and a look-up of over a second, becomes 503 `auth_unverifiable`; null is 401. An incomplete
 * value counts as the stricter one: without `isHosted` the assistant is hosted, without `changesGranted` it gets no
 * `changes`; without a list of `scopes` it has failed.
 */
export abstract class GrantStore {
  /**
   * @param signal aborted when the look-up is given up: an implementation stops its work then.
   * @returns the one grant of this buyer to this assistant that is not revoked, or null.
   */
  abstract find(
    buyerId: string,
    clientId: string,
    signal: AbortSignal,
  ): Promise<StoredGrant | null>;
}

/** The unique index `assistant_grant_live` serves it, and makes sure there is at most one. */
const FIND_GRANT: Statement = {
  name: 'find_grant',
  text: `
    SELECT g.scopes, g.is_hosted AS "isHosted", b.changes_granted AS "changesGranted"
    FROM assistant_grant g
    JOIN buyer b ON b.id = g.buyer_id
    WHERE g.buyer_id = $1 AND g.client_id = $2 AND g.revoked_at IS NULL`,
};

/** Approvals in the service's own PostgreSQL. */
@Injectable()
export class PostgresGrantStore extends GrantStore {
  constructor(private readonly database: ReadDatabase) {
    super();
  }

  override async find(
    buyerId: string,
    clientId: string,
    signal: AbortSignal,
  ): Promise<StoredGrant | null> {
    const { signIn } = this.database;
    const [grant] = await signIn.query<StoredGrant>(FIND_GRANT, [buyerId, clientId], signal);
    return grant ?? null;
  }
}

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
      isHosted: grant.isHosted,
      seesChanges: grant.changesGranted,
    };
  }
}
