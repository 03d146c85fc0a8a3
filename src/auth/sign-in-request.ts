import type { DistinctHeaders } from '../http/context/distinct-headers.js';

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
