import { AppError } from '../../kernel/app-error.js';
import type { AccessToken } from './access-token-verifier.js';
import { readClaims, type ExpectedIssuer } from './token-claims.js';
import { readHeader, type SigningAlgorithm } from './token-header.js';

/** Longer than any access token of a sane issuer; what is longer is refused unread. */
const MAX_TOKEN_CHARACTERS = 8192;

/** A token in which nothing is wrong, its signature aside, which is yet to be checked. */
export interface DecodedToken {
  readonly algorithm: SigningAlgorithm;
  readonly keyId: string;
  readonly accessToken: AccessToken;
  /** `exp`, in seconds since 1970. */
  readonly expiresAtSeconds: number;
}

/**
 * Rejects every token that can be rejected without the issuer's keys, so that a malformed token gets 401
 * also while the keys are unavailable: the shape, the header (RFC 9068, section
 * 2.1), then the claims (sections 2.2 and 4).
 *
 * @param nowSeconds since 1970.
 * @throws {AppError} `unauthenticated`.
 */
export function decodeAccessToken(
  token: string,
  expected: ExpectedIssuer,
  nowSeconds: number,
): DecodedToken {
  if (token.length > MAX_TOKEN_CHARACTERS) throw new AppError('unauthenticated');
  const segments = token.split('.');
  const [header, claims, signature] = segments;
  if (
    segments.length !== 3 ||
    header === undefined ||
    claims === undefined ||
    signature === undefined
  ) {
    throw new AppError('unauthenticated');
  }
  decode(signature);
  const { algorithm, keyId } = readHeader(parse(header));
  const { accessToken, expiresAtSeconds } = readClaims(parse(claims), expected, nowSeconds);
  return { algorithm, keyId, accessToken, expiresAtSeconds };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parse(segment: string): Record<string, unknown> {
  const bytes = decode(segment);
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Not UTF-8 or not JSON: refuted below, as is JSON that is no object.
  }
  throw new AppError('unauthenticated');
}

/** base64url as RFC 7515 wants it: no padding, no other character, no bits to spare. */
function decode(segment: string): Buffer {
  const bytes = Buffer.from(segment, 'base64url');
  if (segment === '' || bytes.toString('base64url') !== segment)
    throw new AppError('unauthenticated');
  return bytes;
}
