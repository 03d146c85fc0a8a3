import type { AssistantPrincipal } from '../../kernel/principal.js';
import type { SignInRequest } from '../sign-in-request.js';

/**
 * Authenticates an assistant by the Authorization header. The default is `JwtAuthenticator`, which
 * accepts JWT access tokens of the configured issuer.
 *
 * Guarantees: the returned principal is built from verified data; `ApprovedAssistants` builds one
 * from a buyer, an assistant and scopes. If the request is for a protected resource, the credential
 * was issued for it.
 * Must never: return a principal for a credential that it could not verify, or log a credential.
 * When it fails: null, `UnauthorizedException` and `AppError` with `unauthenticated` become 401.
 * Any other error, and a call that takes longer than one second, becomes 503 `auth_unverifiable`. A
 * missing value of the principal counts as the stricter one: without `isHosted` the assistant
 * counts as hosted, and without `seesChanges` it does not get `changes`. A principal without a
 * buyer, an assistant or a set of scopes becomes 503 `auth_unverifiable`.
 */
export abstract class AssistantAuthenticator {
  /** @returns the assistant, or null when the credential is not valid. */
  abstract authenticate(request: SignInRequest): Promise<AssistantPrincipal | null>;
}
