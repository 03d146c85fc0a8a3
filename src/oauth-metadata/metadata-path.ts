/**
 * Path of the metadata of a protected resource, before the resource's own path (RFC 9728, section
 * 3.1).
 */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';
