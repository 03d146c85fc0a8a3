/** A buyer's approval of an assistant, and the features that the buyer's account includes. */
export interface StoredGrant {
  /** The scopes that the buyer approved. */
  readonly scopes: readonly string[];
  /** Whether the assistant is hosted; a hosted assistant does not get the verified-partner flag. */
  readonly isHosted: boolean;
  /** Whether the buyer's account includes the `changes` object. */
  readonly changesGranted: boolean;
  /**
   * When the buyer approved the assistant, or approved it again after a revocation or an expiry. A
   * credential that was issued more than 30 seconds earlier is rejected. If it is undefined, the
   * time of issue is not checked.
   */
  readonly grantedAt?: Date | undefined;
  /** When the approval ends by itself; null or undefined if it does not. */
  readonly expiresAt?: Date | null | undefined;
}

/**
 * The store of approvals. A token is valid only while the approval is valid. The default is
 * `PostgresGrantStore`.
 *
 * Guarantees: a grant that was revoked before the call began is not returned. An expired grant may
 * be returned with its `expiresAt`; the service compares it with the clock on each call.
 * Must never: write, or return a cached grant that outlives a revocation; return the `grantedAt` of
 * an approval that ended before the current one.
 * When it fails: any error, and a look-up that takes longer than one second, becomes 503
 * `auth_unverifiable`; null becomes 401. A missing value counts as the stricter one: without
 * `isHosted` the assistant counts as hosted, and without `changesGranted` it does not get
 * `changes`. A grant without a list of `scopes` counts as a failure. The two times are optional: a
 * store that does not have them leaves them out, and nothing is compared.
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
