import {
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { isWebUrl } from '../../config/setting-parsers.js';
import { IssuerFailure } from './issuer-failure.js';
import { requestJson } from './issuer-request.js';

/**
 * The forms of metadata in the order in which they are tried: RFC 8414, then OpenID Connect
 * Discovery 1.0.
 */
const FORMS = ['oauth2', 'oidc'] as const;

/**
 * Finds the address of the issuer's keys in its metadata. The next form is tried when a form is
 * missing or cannot be used. `jwks_uri` is optional in RFC 8414, so a document without it counts as
 * missing.
 *
 * @param issuer the value of `AUTH_ISSUER`. The document's `issuer` must be the same text (RFC
 *   8414, section 3.3).
 * @throws {IssuerFailure} when no form can be used. The reason is that of the first document that
 *   exists, because a 404 for the other form explains nothing.
 */
export async function discoverKeySetUrl(issuer: string, signal: AbortSignal): Promise<string> {
  let failure = new IssuerFailure('not_200');
  for (const algorithm of FORMS) {
    try {
      return await readKeySetUrl(issuer, algorithm, signal);
    } catch (error) {
      if (!(error instanceof IssuerFailure)) throw error;
      if (failure.reason === 'not_200') failure = error;
    }
  }
  throw failure;
}

async function readKeySetUrl(
  issuer: string,
  algorithm: (typeof FORMS)[number],
  signal: AbortSignal,
): Promise<string> {
  const identifier = new URL(issuer);
  const response = await discoveryRequest(identifier, {
    algorithm,
    signal,
    // `AUTH_ISSUER` may be plain http only for loopback hosts.
    [allowInsecureRequests]: true,
    // Servers of static files do not always send the content type that oauth4webapi requires.
    [customFetch]: async (url, options) => Response.json(await requestJson(url, options)),
  });
  const metadata = await processDiscoveryResponse(identifier, response).catch((error: unknown) => {
    throw new IssuerFailure('issuer_mismatch', error);
  });
  // oauth4webapi compares addresses, for which a slash at the end makes no difference.
  if (metadata.issuer !== issuer) throw new IssuerFailure('issuer_mismatch');
  const keySetUrl: unknown = metadata.jwks_uri;
  if (typeof keySetUrl !== 'string' || !isWebUrl(keySetUrl)) throw new IssuerFailure('no_jwks_uri');
  return keySetUrl;
}
