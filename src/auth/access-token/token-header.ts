import { AppError } from '../../kernel/app-error.js';

/** The signature algorithms that are accepted; nothing symmetric, and never `none`. */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256'] as const;

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** RFC 9068, section 2.1: other types, ID tokens above all, are not access tokens. */
const TYPE = /^(application\/)?at\+jwt$/i;

const MAX_KEY_ID_CHARACTERS = 256;

/**
 * Reads a token's JOSE header.
 *
 * `crit` names headers that must be understood, and this service understands none of them; `b64` changes
 * what is signed (RFC 7797). Headers that bring or point to a key (`jwk`, `jku`, `x5c`, `x5u`) are ignored:
 * the keys are the configured issuer's.
 *
 * @throws {AppError} `unauthenticated`.
 */
export function readHeader(header: Record<string, unknown>): {
  readonly algorithm: SigningAlgorithm;
  readonly keyId: string;
} {
  const { alg, typ, kid } = header;
  const algorithm = SIGNING_ALGORITHMS.find((name) => name === alg);
  if (
    algorithm === undefined ||
    typeof typ !== 'string' ||
    !TYPE.test(typ) ||
    typeof kid !== 'string' ||
    kid === '' ||
    kid.length > MAX_KEY_ID_CHARACTERS ||
    'crit' in header ||
    'b64' in header
  ) {
    throw new AppError('unauthenticated');
  }
  return { algorithm, keyId: kid };
}
