import type { AssistantPrincipal } from '../kernel/principal.js';
import type { AccessToken } from './access-token.js';

/**
 * One sign-in by an access token. passport gets it in place of the framework's request: it holds
 * what each step passes to the next one, and nothing is written to the request.
 */
export class BearerSignIn {
  /** The claims of `token`, decoded before its key is looked up; not yet verified then. */
  accessToken?: AccessToken;
  /** Set by `@nestjs/passport` when the strategy has succeeded. */
  principal?: AssistantPrincipal;

  /**
   * @param token the bearer token that was presented.
   * @param audiences the token must be for one of them; undefined admits every audience of the
   *   service.
   * @param signal aborted when the sign-in has to end.
   */
  constructor(
    readonly token: string,
    readonly audiences: readonly string[] | undefined,
    readonly signal: AbortSignal,
  ) {}
}
