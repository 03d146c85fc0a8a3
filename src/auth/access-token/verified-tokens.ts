import { hash, type KeyObject } from 'node:crypto';
import type { DecodedToken } from './decode-access-token.js';

/** About half a kilobyte each. */
const MAX_TOKENS = 5_000;

/** A token whose signature was found good. */
export interface VerifiedToken extends DecodedToken {
  /** The very key that verified it: once that key is withdrawn, nothing vouches for the token. */
  readonly key: KeyObject;
}

/**
 * Tokens that were verified before, so that a client that polls costs one hash instead of a signature
 * check. Kept by SHA-256: the service holds no usable token. It remembers signatures alone; time, key and
 * approval are asked anew on every call. The token that was verified first is forgotten first.
 */
export class VerifiedTokens {
  readonly #byHash = new Map<string, VerifiedToken>();

  constructor(private readonly capacity = MAX_TOKENS) {}

  static hashOf(token: string): string {
    return hash('sha256', token, 'base64url');
  }

  get(tokenHash: string): VerifiedToken | undefined {
    return this.#byHash.get(tokenHash);
  }

  add(tokenHash: string, token: VerifiedToken): void {
    this.#byHash.delete(tokenHash);
    this.#byHash.set(tokenHash, token);
    if (this.#byHash.size <= this.capacity) return;
    const [oldest] = this.#byHash.keys();
    if (oldest !== undefined) this.#byHash.delete(oldest);
  }

  delete(tokenHash: string): void {
    this.#byHash.delete(tokenHash);
  }
}
