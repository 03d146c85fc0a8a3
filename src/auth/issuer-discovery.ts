import {
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
  type AuthorizationServer,
} from 'oauth4webapi';
import { webUrl } from '../config/setting-parsers.js';
import { downloadText } from './bounded-download.js';

/** RFC 8414, then OpenID Connect Discovery 1.0. */
const FORMS = ['oauth2', 'oidc'] as const;

/**
 * Finds the address of the issuer's key set in its metadata.
 *
 * @param issuer `AUTH_ISSUER`. The document must name the same text as its issuer (RFC 8414, section 3.3).
 * @throws when the issuer publishes no such document, or one without a usable `jwks_uri`.
 */
export async function discoverKeySetUrl(issuer: string, signal: AbortSignal): Promise<string> {
  const metadata = await downloadMetadata(new URL(issuer), signal);
  if (metadata.issuer !== issuer) throw new Error('issuer metadata names another issuer');
  const url = webUrl.parse(metadata.jwks_uri ?? '');
  if (url === undefined) throw new Error('issuer metadata has no https jwks_uri');
  return url;
}

async function downloadMetadata(issuer: URL, signal: AbortSignal): Promise<AuthorizationServer> {
  let failure: unknown;
  for (const algorithm of FORMS) {
    try {
      const response = await discoveryRequest(issuer, {
        algorithm,
        signal,
        // `AUTH_ISSUER` is plain http for loopback hosts only.
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
