import type { KeyObject } from 'node:crypto';
import type { TokenFormat } from '../../config/settings-table.js';

/** A signature algorithm, as in a token's `alg` header (RFC 7518). */
export type SigningAlgorithm = 'ES256' | 'RS256';
/** The accepted signature algorithms. Symmetric algorithms and `none` are never accepted. */
export const SIGNING_ALGORITHMS: readonly SigningAlgorithm[] = ['ES256', 'RS256'];

/** The one issuer whose access tokens are accepted, with its public keys. */
export abstract class TokenIssuer {
  abstract readonly issuer: string;
  /** A token must be issued for one of these, which are in the form of `resourceName`. */
  abstract readonly audiences: readonly string[];
  /** How its access tokens are marked, and which of their claims are read. */
  abstract readonly format: TokenFormat;

  /**
   * Finds a public key, and downloads the issuer's keys if necessary. It takes no signal: one
   * download serves all requests that wait for it.
   *
   * @returns undefined once it is certain that the issuer has no such key.
   * @throws when it is not certain whether the issuer has the key.
   */
  abstract findKey(keyId: string, algorithm: SigningAlgorithm): Promise<KeyObject | undefined>;
}
