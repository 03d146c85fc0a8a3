import type { KeyObject } from 'node:crypto';

/** The signature algorithms that are accepted; nothing symmetric, and never `none`. */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** The one issuer whose access tokens are accepted, with its public keys. */
export abstract class TokenIssuer {
  abstract readonly issuer: string;
  /** A token must be for one of these, compared exactly. */
  abstract readonly audiences: readonly string[];

  /**
   * Finds a key, asking the issuer where that is needed.
   *
   * @returns undefined once it is certain that the issuer has no such key.
   * @throws when that is unknown.
   */
  abstract findKey(keyId: string, algorithm: SigningAlgorithm): Promise<KeyObject | undefined>;
}
