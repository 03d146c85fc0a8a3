import { createHash, randomBytes } from 'node:crypto';
import type { DemoService } from './demo-service.js';

export const REDIRECT_URL = 'http://127.0.0.1:9/callback';

/** An authorization request, as an assistant's software makes it, and what follows. */
export class AuthorizationRequest {
  readonly #verifier = randomBytes(32).toString('base64url');

  constructor(
    private readonly service: DemoService,
    readonly clientId: string,
    private readonly redirectUrl = REDIRECT_URL,
  ) {}

  /** @param more parameters to add, replace or (undefined) leave out. */
  address(more: Record<string, string | undefined> = {}): URL {
    const address = new URL('/oauth/authorize', this.service.url);
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUrl,
      scope: 'offers:read',
      resource: `${this.service.url}/mcp`,
      state: 'a-state',
      code_challenge: createHash('sha256').update(this.#verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    };
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) address.searchParams.set(name, value);
    }
    return address;
  }

  /** Exchanges the code that the browser was sent back with. */
  async tokens(back: URL): Promise<{ readonly access_token: string }> {
    const response = await fetch(`${this.service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: this.redirectUrl,
        client_id: this.clientId,
        code_verifier: this.#verifier,
      }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { access_token: string };
  }
}

/** Registers a client; returns the response. */
export function register(service: DemoService, metadata: object): Promise<Response> {
  return fetch(`${service.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Registered <b>helper</b>',
      redirect_uris: [REDIRECT_URL],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  });
}

export async function registeredClient(service: DemoService): Promise<string> {
  const response = await register(service, {});
  return ((await response.json()) as { client_id: string }).client_id;
}
