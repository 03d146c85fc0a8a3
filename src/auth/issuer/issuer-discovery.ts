import {
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
  type AuthorizationServer,
} from 'oauth4webapi';
import { isWebUrl } from '../../config/setting-parsers.js';
import type { AuthorizationEndpoints } from '../../config/settings.js';
import { IssuerFailure } from './issuer-failure.js';
import { requestJson } from './issuer-request.js';

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
 * Reads the metadata of the issuer. The next form is tried when a form is missing or cannot be
 * used. `jwks_uri` is optional in RFC 8414, so a document without it counts as missing.
 *
 * @param issuer the value of `AUTH_ISSUER`. The document's `issuer` must be the same text (RFC
 *   8414, section 3.3).
 * @throws {IssuerFailure} when no form can be used. The reason is that of the first document that
 *   exists, because a 404 for the other form explains nothing.
 */
export async function discoverIssuer(
  issuer: string,
  signal: AbortSignal,
): Promise<DiscoveredIssuer> {
  let failure = new IssuerFailure('not_200');
  for (const algorithm of FORMS) {
    try {
      return await readMetadata(issuer, algorithm, signal);
    } catch (error) {
      if (!(error instanceof IssuerFailure)) throw error;
      if (failure.reason === 'not_200') failure = error;
    }
  }
  throw failure;
}

async function readMetadata(
  issuer: string,
  algorithm: (typeof FORMS)[number],
  signal: AbortSignal,
): Promise<DiscoveredIssuer> {
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
  const keySetUrl = addressIn(metadata, 'jwks_uri');
  if (keySetUrl === undefined) throw new IssuerFailure('no_jwks_uri');
  const authorizationUrl = addressIn(metadata, 'authorization_endpoint');
  const tokenUrl = addressIn(metadata, 'token_endpoint');
  const hasBoth = authorizationUrl !== undefined && tokenUrl !== undefined;
  return {
    keySetUrl,
    authorizationEndpoints: hasBoth ? { authorizationUrl, tokenUrl } : undefined,
  };
}

/** Returns a member of the metadata if it is a valid address. */
function addressIn(
  metadata: AuthorizationServer,
  name: 'jwks_uri' | 'authorization_endpoint' | 'token_endpoint',
): string | undefined {
  const value: unknown = metadata[name];
  return typeof value === 'string' && isWebUrl(value) ? value : undefined;
}
