import type { KeyObject } from 'node:crypto';
import type { ExpectedIssuer, SigningAlgorithm } from './decode-access-token.js';

/** The one issuer whose access tokens are accepted, with its public keys. */
export abstract class TokenIssuer implements ExpectedIssuer {
  abstract readonly issuer: string;
  abstract readonly audiences: readonly string[];

  /**
   * Finds a key, asking the issuer where that is needed.
   *
   * @returns undefined once it is certain that the issuer has no such key.
   * @throws when that is unknown.
   */
  abstract findKey(keyId: string, algorithm: SigningAlgorithm): Promise<KeyObject | undefined>;
}
