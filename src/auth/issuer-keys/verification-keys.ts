import type { KeyObject } from 'node:crypto';
import type { SigningAlgorithm } from '../access-token/token-header.js';

/** The public keys of one issuer. */
export interface VerificationKeys {
  /** The key as far as it is known right now, without waiting; undefined when it is not, or no longer. */
  known(keyId: string, algorithm: SigningAlgorithm): KeyObject | undefined;

  /**
   * The key, asking the issuer where it has to be.
   *
   * @returns undefined once it is certain that the issuer has no such key.
   * @throws when that is unknown.
   */
  find(keyId: string, algorithm: SigningAlgorithm): Promise<KeyObject | undefined>;
}
