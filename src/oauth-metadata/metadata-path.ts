import { pathPrefixOf } from '../config/setting-parsers.js';

/**
 * The path of the metadata of a protected resource, which the resource's own path follows (RFC
 * 9728, section 3.1).
 */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Returns the public address of the metadata of a resource. The well-known path comes before the
 * path prefix of `PUBLIC_URL` (RFC 9728, section 3.1).
 *
 * @param path the service's own path of the resource; empty for the API.
 */
export function metadataUrlOf(publicUrl: string, path: string): string {
  return new URL(publicUrl).origin + METADATA_PATH + pathPrefixOf(publicUrl) + path;
}
