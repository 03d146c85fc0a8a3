import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { READ_SCOPE } from 'deal-sets';

export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'https://deal-sets.test/api';
const KEY_ID = 'test-key';
const LIFETIME_SECONDS = 300;

/** What a token is signed with. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'RS256';
  readonly privateKey: KeyObject;
}

/** What a test's token says besides the buyer's id. */
export interface TestTokenOptions {
  /** Default: `assistant-1`. */
  readonly clientId?: string;
  /** Default: `offers:read`. */
  readonly scopes?: readonly string[];
  /** Claims of RFC 9068 that are to be otherwise; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * A good access token of `ISSUER` for `AUDIENCE` (RFC 9068) of five minutes, but for the claims and the header
 * that are to be otherwise; `undefined` leaves one out.
 */
export function signAccessToken(
  { kid, alg, privateKey }: SigningKey,
  buyerId: string,
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: ISSUER,
    aud: AUDIENCE,
    sub: buyerId,
    client_id: 'assistant-1',
    scope: READ_SCOPE,
    jti: randomUUID(),
    iat: nowSeconds,
    exp: nowSeconds + LIFETIME_SECONDS,
    ...claims,
  })
    .setProtectedHeader({ alg, typ: 'at+jwt', kid, ...header })
    .sign(privateKey);
}

/** An OAuth issuer of a test: its key, and the key set on a socket of its own. */
export class TestIssuer {
  readonly #server: Server;
  readonly #privateKey: KeyObject;

  private constructor(server: Server, privateKey: KeyObject) {
    this.#server = server;
    this.#privateKey = privateKey;
  }

  static async start(): Promise<TestIssuer> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'ES256', use: 'sig' };
    const keySet = JSON.stringify({ keys: [jwk] });
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(keySet);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestIssuer(server, privateKey);
  }

  /** The settings of a service that trusts this issuer. */
  get settings(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: AUDIENCE,
      AUTH_JWKS_URL: `http://127.0.0.1:${port}/keys`,
    };
  }

  /** A token of five minutes. */
  issue(
    buyerId: string,
    { clientId, scopes, claims = {} }: TestTokenOptions = {},
  ): Promise<string> {
    const key = { kid: KEY_ID, alg: 'ES256', privateKey: this.#privateKey } as const;
    return signAccessToken(key, buyerId, {
      ...(clientId !== undefined && { client_id: clientId }),
      ...(scopes && { scope: scopes.join(' ') }),
      ...claims,
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
