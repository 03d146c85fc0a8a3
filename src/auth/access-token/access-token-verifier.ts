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
 * anything else it throws) when it can be neither confirmed nor refuted.
 */
export abstract class AccessTokenVerifier {
  abstract verify(token: string, deadline: Deadline): Promise<AccessToken>;
}
