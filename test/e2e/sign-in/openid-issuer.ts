import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

export const OPENID_CLIENT = 'openid-assistant';
export const OPENID_RESOURCE = 'https://deal-sets.test/api';
export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/**
 * A certified OpenID provider in this process: authorization-code flow with PKCE, and JWT access tokens
 * (RFC 9068) for the resource that the client indicates (RFC 8707). Whoever comes is the one buyer, once
 * the approval page was confirmed.
 */
export class OpenIdIssuer {
  private constructor(
    private readonly server: Server,
    readonly issuer: string,
    readonly jwksUrl: string,
  ) {}

  static async start(buyerId: string, privateJwk: object): Promise<OpenIdIssuer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(issuer, configuration(privateJwk));
    server.on('request', (request, response) => {
      // The approval page: one address of the provider's host, which here always says yes.
      if (!request.url?.startsWith('/approve/')) return void provider.callback()(request, response);
      approve(provider, buyerId, request, response).catch(() => response.destroy());
    });
    return new OpenIdIssuer(server, issuer, `${issuer}/jwks`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function configuration(privateJwk: object): Configuration {
  return {
    clients: [
      {
        client_id: OPENID_CLIENT,
        token_endpoint_auth_method: 'none',
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        application_type: 'native',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [privateJwk] },
    scopes: ['openid', 'offers:read', 'requests:submit'],
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context, { uid }) => `/approve/${uid}` },
    cookies: { keys: ['a key of this test alone'] },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => OPENID_RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'offers:read requests:submit',
          audience: OPENID_RESOURCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  };
}

async function approve(
  provider: Provider,
  accountId: string,
  ...[request, response]: Parameters<Provider['interactionDetails']>
): Promise<void> {
  const { params, prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  grant.addResourceScope(OPENID_RESOURCE, String(params['scope']));
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, { consent: { grantId } });
}
