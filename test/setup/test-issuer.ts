import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  AUDIENCE,
  ISSUER,
  signAccessToken,
  type SigningKey,
} from '../../packages/testing/src/test-issuer.js';
import { KeyServer } from './key-server.js';

export { AUDIENCE, ISSUER };

/** One key pair of an issuer. */
export interface IssuerKey extends SigningKey {
  readonly publicKey: KeyObject;
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
    publicKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
  };
}

export interface TokenChoices {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
}

/** A good access token of `ISSUER` for `AUDIENCE`, but for what is chosen otherwise. */
export function makeToken(
  key: IssuerKey,
  buyerId: string,
  { header, claims }: TokenChoices = {},
): Promise<string> {
  return signAccessToken(key, buyerId, claims, header);
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
