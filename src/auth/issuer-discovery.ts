import {
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
  type AuthorizationServer,
} from 'oauth4webapi';
import { isWebUrl } from '../config/setting-parsers.js';
import type { AuthorizationEndpoints } from '../config/settings.js';
import { downloadText } from './bounded-download.js';

/**
 * The forms of metadata in the order in which they are tried: RFC 8414, then OpenID Connect
 * Discovery 1.0.
 */
const FORMS = ['oauth2', 'oidc'] as const;

/** The part of an issuer's metadata that the service uses. */
export interface DiscoveredIssuer {
  readonly keySetUrl: string;
  /**
   * Undefined unless the metadata contains valid addresses of both endpoints: https addresses, or
   * http addresses of loopback hosts.
   */
  readonly authorizationEndpoints: AuthorizationEndpoints | undefined;
}

/**
 * Reads the metadata of the issuer.
 *
 * @param issuer the value of `AUTH_ISSUER`. The document's `issuer` must be the same text (RFC
 *   8414, section 3.3).
 * @throws when the issuer does not publish such a document, or its `jwks_uri` is not usable.
 */
export async function discoverIssuer(
  issuer: string,
  signal: AbortSignal,
): Promise<DiscoveredIssuer> {
  const metadata = await downloadMetadata(new URL(issuer), signal);
  if (metadata.issuer !== issuer) throw new Error('issuer metadata names another issuer');
  const [keySetUrl, authorizationUrl, tokenUrl] = [
    metadata.jwks_uri,
    metadata.authorization_endpoint,
    metadata.token_endpoint,
  ].map((address = '') => (isWebUrl(address) ? address : undefined));
  if (keySetUrl === undefined) throw new Error('issuer metadata has no https jwks_uri');
  const hasBoth = authorizationUrl !== undefined && tokenUrl !== undefined;
  return {
    keySetUrl,
    authorizationEndpoints: hasBoth ? { authorizationUrl, tokenUrl } : undefined,
  };
}

async function downloadMetadata(issuer: URL, signal: AbortSignal): Promise<AuthorizationServer> {
  let failure: unknown;
  for (const algorithm of FORMS) {
    try {
      const response = await discoveryRequest(issuer, {
        algorithm,
        signal,
        // `AUTH_ISSUER` may be plain http only for loopback hosts.
        [allowInsecureRequests]: true,
        [customFetch]: async (url) =>
          new Response(await downloadText(url, 'application/json', signal), {
            headers: { 'content-type': 'application/json' },
          }),
      });
      return await processDiscoveryResponse(issuer, response);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
