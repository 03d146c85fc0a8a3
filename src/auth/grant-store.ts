/** A buyer's approval of an assistant, and the features that the buyer's account includes. */
export interface StoredGrant {
  /** The scopes that the buyer approved. */
  readonly scopes: readonly string[];
  /** Whether the assistant is hosted; a hosted assistant does not get the verified-partner flag. */
  readonly isHosted: boolean;
  /** Whether the buyer's account includes the `changes` object. */
  readonly changesGranted: boolean;
}

/**
 * The store of approvals. A token is valid only while the approval is valid. The default is
 * `PostgresGrantStore`.
 *
 * Guarantees: a grant that was revoked before the call began is not returned.
 * Must never: write, or return a cached grant that outlives a revocation.
 * When it fails: any error, and a look-up that takes longer than one second, becomes 503
 * `auth_unverifiable`; null becomes 401. A missing value counts as the stricter one: without
 * `isHosted` the assistant counts as hosted, and without `changesGranted` it does not get
 * `changes`. A grant without a list of `scopes` counts as a failure.
 */
export abstract class GrantStore {
  /**
   * @param signal aborted when the look-up is abandoned; an implementation then stops its work.
   * @returns the current grant of this buyer to this assistant, or null if there is none or it was
   *   revoked.
   */
  abstract find(
    buyerId: string,
    clientId: string,
    signal: AbortSignal,
  ): Promise<StoredGrant | null>;
}
