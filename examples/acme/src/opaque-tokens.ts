import { UnauthorizedException, type ExecutionContext } from '@nestjs/common';
import { AssistantAuthenticator, requestSignal, type ApprovedAssistants } from '@deal-sets/service';

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

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context
      .switchToHttp()
      .getRequest<{ headers: { authorization?: string }; principal?: unknown }>();
    const token = await this.#introspect(
      request.headers.authorization ?? '',
      requestSignal(context),
    );
    if (!token) throw new UnauthorizedException();
    // The buyer's approval is looked up on every call, as for a JWT.
    request.principal = await this.approved.findPrincipal(token, requestSignal(context));
    return true;
  }

  async #introspect(authorization: string, signal: AbortSignal): Promise<Token | undefined> {
    const response = await fetch(this.introspectionUrl, { headers: { authorization }, signal });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`the authorization server answered ${response.status}`);
    return (await response.json()) as Token;
  }
}
