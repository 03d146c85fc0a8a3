import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { READ_SCOPE, Settings } from 'deal-sets';
import { SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { providerConfiguration } from './provider-configuration.js';

const KEY_ID = 'demo';
const AUTHORIZE = /^\/oauth\/authorize(\?|$)/;
const SCOPE = /[?&]scope=/;

/** What a token of the demo says. */
export interface DemoToken {
  readonly buyerId: string;
  readonly clientId: string;
  readonly scope: string;
  readonly ttlSeconds: number;
}

/** What can be set from outside, for tests. */
export interface AuthorizationOptions {
  readonly fetch?: typeof fetch;
}

/** Under which Nest gives the options. */
export const AUTHORIZATION_OPTIONS = Symbol('AuthorizationOptions');

/** The demo's authorization server. Its key and its state live as long as the process. */
@Injectable()
export class AuthorizationServer {
  readonly provider: Provider;
  readonly #privateKey: KeyObject;
  readonly #publicUrl: string;
  readonly #answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;

  constructor(
    { publicUrl = '' }: Settings,
    @Inject(AUTHORIZATION_OPTIONS) { fetch }: AuthorizationOptions,
  ) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'ES256', use: 'sig' };
    this.#privateKey = privateKey;
    this.#publicUrl = publicUrl;
    this.provider = new Provider(
      publicUrl,
      providerConfiguration({ publicUrl, jwks: { keys: [jwk] }, ...(fetch && { fetch }) }),
    );
    this.#answer = this.provider.callback();
  }

  /** Answers a request of the protocol. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request;
    if (AUTHORIZE.test(url)) {
      // A client that names no scope gets the one there is (RFC 6749, section 3.3).
      if (!SCOPE.test(url))
        request.url = `${url}${url.includes('?') ? '&' : '?'}scope=${READ_SCOPE}`;
      // Each request is approved by itself: a session here would skip the page, or name another buyer.
      request.headers.cookie = (request.headers.cookie ?? '')
        .split('; ')
        .filter((pair) => !pair.startsWith(this.provider.cookieName('session')))
        .join('; ');
    }
    await this.#answer(request, response);
  }

  /** A token without an approval page, of the form that the token endpoint gives (RFC 9068). */
  issueToken({ buyerId, clientId, scope, ttlSeconds }: DemoToken): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    return new SignJWT({ client_id: clientId, scope })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: KEY_ID })
      .setIssuer(this.#publicUrl)
      .setAudience([this.#publicUrl, `${this.#publicUrl}/mcp`])
      .setSubject(buyerId)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ttlSeconds)
      .setJti(randomUUID())
      .sign(this.#privateKey);
  }
}
