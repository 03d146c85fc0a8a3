import type { ExecutionContext } from '@nestjs/common';
import type { AssistantPrincipal } from '../kernel/principal.js';

/**
 * Authenticates an assistant by the Authorization header. The default is `JwtAuthenticator`, which
 * accepts JWT access tokens of the configured issuer.
 *
 * Guarantees: the returned principal is built from verified data; `ApprovedAssistants` builds one
 * from a buyer, an assistant and scopes.
 * Must never: return a principal for a credential that it could not verify, or log a credential.
 * When it fails: null, `UnauthorizedException` and `AppError` with `unauthenticated` become 401.
 * Any other error, and a call that takes longer than one second, becomes 503 `auth_unverifiable`. A
 * missing value of the principal counts as the stricter one: without `isHosted` the assistant
 * counts as hosted, and without `seesChanges` it does not get `changes`. A principal without a
 * buyer, an assistant or a set of scopes becomes 503 `auth_unverifiable`.
 */
export abstract class AssistantAuthenticator {
  /**
   * @param context the call; `bearerToken(context)` returns its bearer token.
   * @param signal aborted when the sign-in has to end. Pass it to every look-up: once the sign-in
   *   has ended, the request already has its response.
   * @returns the assistant, or null when the credential is not valid.
   */
  abstract authenticate(
    context: ExecutionContext,
    signal: AbortSignal,
  ): Promise<AssistantPrincipal | null>;
}
