import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type ClientMetadata } from 'oidc-provider';
import type { IntrospectionOptions } from '../src/opaque-tokens.js';

const AUDIENCE = 'https://deal-sets.acme.example';
const HOUR = 3600;
/** The credentials of the service, which may introspect tokens. */
const SERVICE = { id: 'deal-sets', secret: 'a-secret-of-32-characters-or-more' };

/** The claims of a token. A claim that is left out has the value that the service requires. */
export interface TokenOptions {
  readonly buyerId: string;
  readonly clientId: string;
  readonly scope?: string;
  readonly audience?: string;
  /** The thumbprint of a key to which the token is bound. */
  readonly keyThumbprint?: string;
}

/** Starts a real authorization server that issues opaque tokens and supports introspection. */
export async function startAuthorizationServer(assistantIds: readonly string[]) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: SERVICE.id,
        client_secret: SERVICE.secret,
        token_endpoint_auth_method: 'client_secret_basic',
        redirect_uris: [],
        response_types: [],
        grant_types: [],
      },
      ...assistantIds.map(publicClient),
    ],
    scopes: ['offers:read'],
    ttl: { AccessToken: HOUR, Grant: HOUR, RefreshToken: HOUR },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: false },
      introspection: {
        enabled: true,
        allowedPolicy: (_context, client) => client.clientId === SERVICE.id,
      },
    },
  });
  const requests: { readonly method?: string; readonly contentType?: string }[] = [];
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const { method, headers } = request;
    requests.push({ method, contentType: headers['content-type'] });
    void answer(request, response);
  });

  /** Returns the properties of a token, after recording the buyer's approval. */
  async function approvedProperties({ buyerId, clientId, scope = 'offers:read' }: TokenOptions) {
    const client = await provider.Client.find(clientId);
    if (!client) throw new Error(`${clientId} is not registered`);
    const grantId = await new provider.Grant({ accountId: buyerId, clientId }).save();
    return { accountId: buyerId, client, grantId, scope, gty: 'authorization_code' };
  }

  const introspection: IntrospectionOptions = {
    issuer,
    audience: AUDIENCE,
    introspectionUrl: `${issuer}/token/introspection`,
    clientId: SERVICE.id,
    clientSecret: SERVICE.secret,
    allowsHttp: true,
  };
  return {
    introspection,
    requests,
    /** Issues an access token, as the token endpoint does after the buyer's approval. */
    async issue(options: TokenOptions): Promise<string> {
      const token = new provider.AccessToken({
        ...(await approvedProperties(options)),
        aud: options.audience ?? AUDIENCE,
        jkt: options.keyThumbprint,
      });
      return token.save();
    },
    /** Issues a refresh token, which is also active but which the service must reject. */
    async issueRefreshToken(options: TokenOptions): Promise<string> {
      return new provider.RefreshToken(await approvedProperties(options)).save();
    },
    async revoke(token: string): Promise<void> {
      await (await provider.AccessToken.find(token))?.destroy();
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function publicClient(id: string): ClientMetadata {
  return {
    client_id: id,
    token_endpoint_auth_method: 'none',
    redirect_uris: ['https://assistant.example/callback'],
  };
}
