import type { ExecutionContext } from '@nestjs/common';
import {
  AssistantAuthenticator,
  bearerToken,
  type ApprovedAssistants,
  type AssistantPrincipal,
} from '@deal-sets/service';

/** What Acme's authorization server says of a token that is in force. */
interface Token {
  readonly buyerId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/**
 * Access tokens that are no JWT: the authorization server is asked what each is worth (RFC 7662).
 */
export class OpaqueTokens extends AssistantAuthenticator {
  constructor(
    private readonly approved: ApprovedAssistants,
    private readonly introspectionUrl: string,
  ) {
    super();
  }

  async authenticate(
    context: ExecutionContext,
    signal: AbortSignal,
  ): Promise<AssistantPrincipal | null> {
    const bearer = bearerToken(context);
    const token = bearer && (await this.#introspect(bearer, signal));
    // The buyer's approval is looked up on every call, as for a JWT.
    return token ? this.approved.findPrincipal(token, signal) : null;
  }

  async #introspect(bearer: string, signal: AbortSignal): Promise<Token | undefined> {
    const headers = { authorization: `Bearer ${bearer}` };
    const response = await fetch(this.introspectionUrl, { headers, signal });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`the authorization server answered ${response.status}`);
    return (await response.json()) as Token;
  }
}
