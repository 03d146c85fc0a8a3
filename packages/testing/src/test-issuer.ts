import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { KeyServer } from './key-server.js';

/** The `iss` claim of the test issuer's tokens. */
export const ISSUER = 'https://issuer.test';
/** The `aud` claim of the test issuer's tokens. */
export const AUDIENCE = 'https://deal-sets.test/api';
const LIFETIME_SECONDS = 300;

/** A key pair of an issuer. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'RS256';
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key as a JWK, as it appears in a key set. */
  readonly jwk: object;
}

/** The claims of a test token besides the buyer's id. */
export interface TestTokenOptions {
  /** Default: `assistant-1`. */
  readonly clientId?: string;
  /** Default: `offers:read`. */
  readonly scopes?: readonly string[];
  /** Claims of RFC 9068 to override; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Members of the header to override; `undefined` removes one. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/**
 * Generates a key pair.
 *
 * @param modulusLength the size of an RSA key, in bits.
 */
export function makeKey(
  kid: string,
  alg: IssuerKey['alg'] = 'ES256',
  modulusLength = 2048,
): IssuerKey {
  const { privateKey, publicKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' };
  return { kid, alg, privateKey, publicKey, jwk };
}

/**
 * Signs an access token of `ISSUER` for `AUDIENCE` (RFC 9068). It is valid for five minutes, unless
 * the options override its claims.
 */
export function makeToken(
  { kid, alg, privateKey }: IssuerKey,
  buyerId: string,
  { clientId = 'assistant-1', scopes = ['offers:read'], claims, header }: TestTokenOptions = {},
): Promise<string> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: ISSUER,
    aud: AUDIENCE,
    sub: buyerId,
    client_id: clientId,
    scope: scopes.join(' '),
    jti: randomUUID(),
    iat: nowSeconds,
    exp: nowSeconds + LIFETIME_SECONDS,
    ...claims,
  })
    .setProtectedHeader({ alg, typ: 'at+jwt', kid, ...header })
    .sign(privateKey);
}

/** An OAuth issuer for tests, with one key and a server that publishes it. */
export class TestIssuer {
  private constructor(
    /** The server of the key set, which can be made to fail. */
    readonly keyServer: KeyServer,
    readonly key: IssuerKey,
  ) {}

  /** Generates the key and starts the server. */
  static async start(): Promise<TestIssuer> {
    const keyServer = await KeyServer.start();
    const key = makeKey('key-1');
    keyServer.publish(key.jwk);
    return new TestIssuer(keyServer, key);
  }

  /** The settings of a service that accepts this issuer's tokens. */
  get settings(): Readonly<Record<string, string>> {
    return { AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: AUDIENCE, AUTH_JWKS_URL: this.keyServer.url };
  }

  /** Signs an access token for an assistant of this buyer. */
  token(buyerId: string, options?: TestTokenOptions): Promise<string> {
    return makeToken(this.key, buyerId, options);
  }

  /** Stops the server of the key set. */
  stop(): Promise<void> {
    return this.keyServer.close();
  }
}
