import type { AssistantPrincipal } from '../kernel/principal.js';
import type { AccessToken } from './access-token.js';

/**
 * One sign-in with an access token. passport receives this object in place of the framework's
 * request. The steps of the sign-in store their results in it, so that nothing is written to the
 * request.
 */
export class BearerSignIn {
  /** The claims of `token`, decoded before the key look-up and not verified at that time. */
  accessToken?: AccessToken;
  /** Set by `@nestjs/passport` when the strategy has succeeded. */
  principal?: AssistantPrincipal;

  /**
   * @param token the bearer token that was presented.
   * @param audiences the audiences of which the token must contain at least one. If undefined,
   *   every audience of the service is accepted.
   * @param signal aborted when the sign-in has to end.
   */
  constructor(
    readonly token: string,
    readonly audiences: readonly string[] | undefined,
    readonly signal: AbortSignal,
  ) {}
}
