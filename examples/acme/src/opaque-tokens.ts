import {
  AssistantAuthenticator,
  bearerToken,
  type ApprovedAssistants,
  type AssistantCredential,
  type AssistantPrincipal,
  type SignInRequest,
} from '@deal-sets/service';
import { isUUID } from 'class-validator';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  introspectionRequest,
  processIntrospectionResponse,
  ResponseBodyError,
  type IntrospectionResponse,
} from 'oauth4webapi';

/** Acme's authorization server, and the claims that a token must have to be accepted. */
export interface IntrospectionOptions {
  /** The `iss` of the tokens. */
  readonly issuer: string;
  /** The `aud` of the tokens, which identifies this service. */
  readonly audience: string;
  /** The introspection endpoint of the authorization server (RFC 7662). */
  readonly introspectionUrl: string;
  /** The credentials of this service at the authorization server. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Permits plain http, for an authorization server on the same machine. */
  readonly allowsHttp?: boolean;
}

/**
 * Authenticates assistants by opaque access tokens, with one introspection request to the
 * authorization server for each call (RFC 7662).
 *
 * The result is not cached, so that a revoked token is rejected at once. If the authorization
 * server cannot be reached, the call is rejected with 503 `auth_unverifiable`.
 */
export class OpaqueTokens extends AssistantAuthenticator {
  constructor(
    private readonly approved: ApprovedAssistants,
    private readonly options: IntrospectionOptions,
  ) {
    super();
  }

  async authenticate({
    headers,
    signal,
    resource,
  }: SignInRequest): Promise<AssistantPrincipal | null> {
    const token = bearerToken(headers);
    if (token === undefined) return null;
    const introspection = await this.#introspect(token, signal);
    const accepted = resource?.audiences ?? [this.options.audience];
    const credential = introspection && this.#toCredential(introspection, accepted);
    // The buyer's approval is looked up on every call, as for a JWT.
    return credential ? this.approved.findPrincipal(credential, signal) : null;
  }

  async #introspect(token: string, signal: AbortSignal): Promise<IntrospectionResponse | null> {
    const { issuer, introspectionUrl, clientId, clientSecret, allowsHttp = false } = this.options;
    const server = { issuer, introspection_endpoint: introspectionUrl };
    const client = { client_id: clientId };
    const response = await introspectionRequest(
      server,
      client,
      ClientSecretBasic(clientSecret),
      token,
      {
        additionalParameters: { token_type_hint: 'access_token' },
        signal,
        [allowInsecureRequests]: allowsHttp,
      },
    );
    try {
      return await processIntrospectionResponse(server, client, response);
    } catch (error) {
      // Some authorization servers with opaque tokens send this error for a token that looks like a
      // JWT.
      const isForeign =
        error instanceof ResponseBodyError && error.error === 'unsupported_token_type';
      if (isForeign) return null;
      throw error;
    }
  }

  /**
   * Returns null unless the token is an active bearer token from this issuer, for one of the
   * accepted audiences.
   */
  #toCredential(
    introspection: IntrospectionResponse,
    accepted: readonly string[],
  ): AssistantCredential | null {
    const { active, iss, aud, sub, client_id: clientId, scope = '', iat, cnf } = introspection;
    if (!active) return null;
    // A refresh token can also be active, but only access tokens have a type.
    if (introspection.token_type?.toLowerCase() !== 'bearer') return null;
    // The proof of possession is not checked, so a token that requires one is rejected.
    if (cnf !== undefined) return null;
    if (iss !== this.options.issuer) return null;
    const audiences = Array.isArray(aud) ? aud : [aud];
    if (!audiences.some((audience) => accepted.includes(String(audience)))) return null;
    if (typeof sub !== 'string' || !isUUID(sub)) return null;
    if (typeof clientId !== 'string' || typeof scope !== 'string') return null;
    // A token that was issued before the buyer's current approval is rejected.
    const issuedAt = typeof iat === 'number' ? new Date(iat * 1000) : undefined;
    return { buyerId: sub, clientId, scopes: scope.split(' '), issuedAt };
  }
}
