import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { SigningAlgorithm } from '../access-token/token-header.js';

const MIN_RSA_BITS = 2048;

/** The usable keys of a key set (RFC 7517), by `keyName`. */
export type KeysByName = ReadonlyMap<string, KeyObject>;

/** One name for a key id and the algorithm it is for: issuers may use one id for keys of two types. */
export function keyName(keyId: string, algorithm: SigningAlgorithm): string {
  return `${algorithm} ${keyId}`;
}

/**
 * Reads an issuer's key set. Keys that cannot verify an access token are left out: encryption keys, other
 * algorithms and curves, RSA under 2048 bits, keys without an id, malformed ones.
 *
 * @throws {Error} when the text is no key set, or holds no usable key: an empty set says nothing about any
 *   token, and is far more often a fault of the issuer than the withdrawal of all keys.
 */
export function readKeySet(text: string): KeysByName {
  const document: unknown = JSON.parse(text);
  const listed =
    typeof document === 'object' && document !== null && 'keys' in document
      ? document.keys
      : undefined;
  if (!Array.isArray(listed)) throw new Error('the key set has no list of keys');
  const keys = new Map<string, KeyObject>();
  for (const jwk of listed as unknown[]) {
    const usable = readKey(jwk);
    if (usable && !keys.has(usable.name)) keys.set(usable.name, usable.key);
  }
  if (keys.size === 0) throw new Error('the key set has no usable key');
  return keys;
}

function readKey(jwk: unknown): { name: string; key: KeyObject } | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined;
  const {
    kid,
    kty,
    crv,
    alg,
    use,
    key_ops: operations,
    x,
    y,
    n,
    e,
  } = jwk as Record<string, unknown>;
  if (typeof kid !== 'string' || kid === '') return undefined;
  if (use !== undefined && use !== 'sig') return undefined;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    return undefined;
  }
  const algorithm = kty === 'EC' && crv === 'P-256' ? 'ES256' : kty === 'RSA' ? 'RS256' : undefined;
  if (algorithm === undefined || (alg !== undefined && alg !== algorithm)) return undefined;
  try {
    // The public members alone: a set that also holds private ones must not make them usable here.
    const members = algorithm === 'ES256' ? { kty, crv, x, y } : { kty, n, e };
    const key = createPublicKey({ key: members as JsonWebKey, format: 'jwk' });
    const { modulusLength } = key.asymmetricKeyDetails ?? {};
    if (algorithm === 'RS256' && (modulusLength ?? 0) < MIN_RSA_BITS) return undefined;
    return { name: keyName(kid, algorithm), key };
  } catch {
    return undefined;
  }
}
