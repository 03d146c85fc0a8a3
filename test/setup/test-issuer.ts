import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { KeyServer } from './key-server.js';

/** One key pair of an issuer. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'RS256';
  readonly privateKey: KeyObject;
  /** The public key as a key set lists it. */
  readonly jwk: object;
}

export function makeKey(
  kid: string,
  alg: 'ES256' | 'RS256' = 'ES256',
  modulusLength = 2048,
): IssuerKey {
  const { privateKey, publicKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength });
  return {
    kid,
    alg,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
  };
}

export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'https://deal-sets.test/api';

export interface TokenChoices {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
}

/** A good access token of `ISSUER` for `AUDIENCE`, but for what is chosen otherwise. */
export async function makeToken(
  key: IssuerKey,
  buyerId: string,
  { header = {}, claims = {} }: TokenChoices = {},
): Promise<string> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: ISSUER,
    aud: AUDIENCE,
    sub: buyerId,
    client_id: 'assistant-1',
    scope: 'offers:read',
    iat: nowSeconds,
    exp: nowSeconds + 300,
    ...claims,
  })
    .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: key.kid, ...header })
    .sign(key.privateKey);
}

/** An issuer with one published key, and the settings of a service that trusts it. */
export class TestIssuer {
  private constructor(
    /** Serves the key set; can be made to misbehave. */
    readonly keyServer: KeyServer,
    readonly key: IssuerKey,
  ) {}

  static async start(): Promise<TestIssuer> {
    const keyServer = await KeyServer.start();
    const key = makeKey('key-1');
    keyServer.publish(key.jwk);
    return new TestIssuer(keyServer, key);
  }

  get env(): Readonly<Record<string, string>> {
    return {
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: AUDIENCE,
      AUTH_JWKS_URL: this.keyServer.url,
    };
  }

  token(buyerId: string, choices?: TokenChoices): Promise<string> {
    return makeToken(this.key, buyerId, choices);
  }

  close(): Promise<void> {
    return this.keyServer.close();
  }
}
