import type { Deadline } from '../../kernel/deadline.js';

/** What a verified access token says. */
export interface AccessToken {
  /** `sub`: the buyer. */
  readonly buyerId: string;
  /** `act.sub` where present, else `client_id`: the assistant. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  /**
   * For whom it was issued, of the audiences that the service accepts. An endpoint that is a protected
   * resource of its own admits only tokens issued for it, so a token without audiences never opens one.
   */
  readonly audiences?: readonly string[];
}

/**
 * Decides whether a bearer token is a valid access token of the configured issuer.
 *
 * Must never: accept a token on anything but its signature, or log it.
 * Fails with `unauthenticated` when the token is refuted, and with `auth_unverifiable` (as does
 * anything else it throws) when it can be neither confirmed nor refuted. A token without `clientId` is refuted,
 * and one without `scopes` holds none.
 */
export abstract class AccessTokenVerifier {
  /**
   * @param limit the sign-in's own limit of a second; its `signal` is aborted when the call is given up. An
   *   implementation stops its work then.
   */
  abstract verify(token: string, limit: Deadline): Promise<AccessToken>;
}
