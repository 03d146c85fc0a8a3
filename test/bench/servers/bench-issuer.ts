import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';
import { WORLD_CLIENT_ID } from '../../../src/world/generate-buyer.js';

const ISSUER = 'https://issuer.bench.example';
const AUDIENCE = 'https://api.bench.example';
const KEY_ID = 'bench';

/** The OAuth issuer of a run: it publishes its key on loopback, and makes the assistants' tokens. */
export class BenchIssuer {
  private constructor(
    private readonly server: Server,
    private readonly privateKey: KeyObject,
    private readonly publicKey: KeyObject,
  ) {}

  static async start(): Promise<BenchIssuer> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = await exportJWK(publicKey);
    const keySet = JSON.stringify({ keys: [{ ...jwk, kid: KEY_ID, alg: 'ES256', use: 'sig' }] });
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(keySet);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BenchIssuer(server, privateKey, publicKey);
  }

  /** The settings of a service that accepts its tokens. */
  get environment(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return {
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: AUDIENCE,
      AUTH_JWKS_URL: `http://127.0.0.1:${port}/jwks`,
    };
  }

  /** The public key as a PEM text, for a peer that is configured with one. */
  get publicPem(): string {
    return this.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  }

  /** An hour's access token of the world's assistant. */
  token(buyerId: string, scope = 'offers:read'): Promise<string> {
    return new SignJWT({ client_id: WORLD_CLIENT_ID, scope })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: KEY_ID })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(buyerId)
      .setIssuedAt()
      .setExpirationTime('2h')
      .sign(this.privateKey);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
