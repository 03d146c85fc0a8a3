import { randomBytes } from 'node:crypto';
import { errors, type Configuration } from 'oidc-provider';
import { READ_SCOPE } from '@deal-sets/service/standalone';
import { DEMO_CLIENT_NAMES, DEMO_CLIENTS } from '../demo-world/demo-people.js';
import { MemoryAdapter, type KeptState } from './kept-state.js';
import { publicFetch } from './public-fetch.js';
import { markup, pageHeaders, pageText } from '../web-forms/send-page.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The longest client id that a grant can contain, in characters (docs/mcp.md). */
const MAX_CLIENT_ID = 256;

/** Options of the demo's authorization server. */
export interface ProviderOptions {
  /** Scheme, host and port of the demo: the issuer and the audience of its tokens. */
  readonly publicUrl: string;
  /** The key and the registered clients. */
  readonly kept: KeptState;
  /** Fetches client metadata documents. Default: `publicFetch`. */
  readonly fetch?: typeof fetch;
}

/**
 * Returns the configuration of the demo's authorization server. It accepts public clients on this
 * machine and clients that publish a metadata document.
 */
export function providerConfiguration({
  publicUrl,
  kept,
  fetch = publicFetch,
}: ProviderOptions): Configuration {
  return {
    jwks: { keys: [kept.key] },
    clients: [
      // This client is registered from the start, for programs that can neither register nor
      // publish a metadata document.
      {
        client_id: DEMO_CLIENTS.approved,
        client_name: DEMO_CLIENT_NAMES[DEMO_CLIENTS.approved],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [
          ...['http://127.0.0.1/callback', 'http://localhost/callback'],
          ...(publicUrl.startsWith('https:') ? [`${publicUrl}/callback`] : []),
        ],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      // "Authorize" on the page of the API description.
      {
        client_id: 'deal-sets-docs',
        client_name: 'API documentation',
        application_type: publicUrl.startsWith('https:') ? 'web' : 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${publicUrl}/api/v1/docs/oauth2-redirect.html`],
        grant_types: ['authorization_code'],
      },
    ],
    adapter: (kind) => new MemoryAdapter(kind === 'Client' ? kept : undefined),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    scopes: [READ_SCOPE, 'offline_access'],
    pkce: { required: () => true },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
    },
    interactions: { url: (_context, { uid }) => `/approve/${uid}` },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    ttl: {
      AuthorizationCode: MINUTE,
      AccessToken: HOUR,
      RefreshToken: DAY,
      Grant: DAY,
      Interaction: 10 * MINUTE,
      Session: 10 * MINUTE,
      IdToken: HOUR,
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    // The page of the API description is on the same origin; pages elsewhere get no tokens.
    clientBasedCORS: (_context, origin) => origin === publicUrl,
    fetchResponseBodyLimits: {
      'client_id metadata document': 5 * 1024,
      jwks_uri: 64 * 1024,
      sector_identifier_uri: 5 * 1024,
    },
    fetch,
    renderError: (context, { error, error_description: description = '' }) => {
      context.set(pageHeaders());
      context.body = pageText(
        'This request cannot continue',
        markup`<p>${description || error}</p>
          <p>Start again in your assistant.</p>`,
      );
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: { enabled: true, allowedPolicy: () => true },
      registration: {
        enabled: true,
        issueRegistrationAccessToken: false,
        idFactory: (context) => {
          assertLoopbackAddresses((context.oidc.body as { redirect_uris?: unknown }).redirect_uris);
          return randomBytes(16).toString('base64url');
        },
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (_context, clientId) => clientId.length <= MAX_CLIENT_ID,
        cacheDuration: { min: 30, max: HOUR },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => publicUrl,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => {
          // With and without a slash, the root is the same resource, and clients compare the
          // audience with the text that they sent.
          if (![publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`].includes(resource)) {
            throw new errors.InvalidTarget(`the resources are ${publicUrl} and ${publicUrl}/mcp`);
          }
          return {
            audience: resource,
            scope: READ_SCOPE,
            accessTokenFormat: 'jwt',
            accessTokenTTL: HOUR,
            jwt: { sign: { alg: 'ES256' } },
          };
        },
      },
    },
  };
}

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Returns whether a redirect address belongs to a program on the user's own machine (RFC 8252,
 * section 7.3).
 */
export function isLoopbackAddress(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname);
}

/**
 * Ensures that only programs on this machine receive authorization codes, because any web page can
 * register a client.
 */
function assertLoopbackAddresses(addresses: unknown): void {
  if (Array.isArray(addresses) && addresses.length > 0 && addresses.every(isLoopbackAddress))
    return;
  throw new errors.CustomOIDCProviderError(
    'invalid_redirect_uri',
    'register only http addresses of 127.0.0.1, [::1] and localhost; other clients use a client ID metadata document',
  );
}
