import type { DistinctHeaders } from '../../http/context/distinct-headers.js';
import type { AssistantPrincipal } from '../../kernel/principal.js';

/** What a request presents to be signed in. */
export interface SignInRequest {
  /** The headers of the request; `bearerToken(headers)` returns its bearer token. */
  readonly headers: DistinctHeaders;
  /**
   * Aborted when the sign-in has to end. Pass it to every look-up: once the sign-in has ended, the
   * request already has its response.
   */
  readonly signal: AbortSignal;
  /**
   * The protected resource for which the request is, such as `/mcp`: a token must be issued for one
   * of its audiences (RFC 8707). Undefined for other endpoints, which accept every audience of the
   * service.
   */
  readonly resource: { readonly audiences: readonly string[] } | undefined;
}

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
