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
