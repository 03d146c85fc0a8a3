import { compactVerify, errors } from 'jose';
import type { KeyObject } from 'node:crypto';
import { AppError } from '../../kernel/app-error.js';
import { AccessTokenVerifier, type AccessToken } from './access-token-verifier.js';
import type { ExpectedIssuer } from './token-claims.js';
import { decodeAccessToken } from './decode-access-token.js';
import type { SigningAlgorithm } from './token-header.js';
import type { VerificationKeys } from '../issuer-keys/verification-keys.js';
import { VerifiedTokens } from './verified-tokens.js';

/**
 * Accepts JWT access tokens (RFC 9068) of one issuer: refutes what needs no key, finds the key, checks
 * the signature. A token that was verified before is taken from memory while it has not expired and its
 * key is still in the key set.
 */
export class JwtAccessTokenVerifier extends AccessTokenVerifier {
  readonly #verified = new VerifiedTokens();

  constructor(
    private readonly expected: ExpectedIssuer,
    private readonly keys: VerificationKeys,
  ) {
    super();
  }

  override async verify(token: string): Promise<AccessToken> {
    const nowSeconds = Date.now() / 1000;
    const tokenHash = VerifiedTokens.hashOf(token);
    const before = this.#verified.get(tokenHash);
    if (before && this.keys.known(before.keyId, before.algorithm) === before.key) {
      if (nowSeconds < before.expiresAtSeconds) return before.accessToken;
      this.#verified.delete(tokenHash);
      throw new AppError('unauthenticated');
    }
    const decoded = decodeAccessToken(token, this.expected, nowSeconds);
    const key = await this.keys.find(decoded.keyId, decoded.algorithm);
    if (!key) throw new AppError('unauthenticated');
    await checkSignature(token, key, decoded.algorithm);
    this.#verified.add(tokenHash, { ...decoded, key });
    return decoded.accessToken;
  }
}

/** @throws {AppError} `unauthenticated` when the key did not sign the token. */
async function checkSignature(
  token: string,
  key: KeyObject,
  algorithm: SigningAlgorithm,
): Promise<void> {
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new AppError('unauthenticated', { cause: error });
    throw error;
  }
}
