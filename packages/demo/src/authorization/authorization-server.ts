import { createPrivateKey, randomUUID, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { READ_SCOPE, Settings } from 'deal-sets';
import { SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { KeptState } from './kept-state.js';
import { providerConfiguration } from './provider-configuration.js';

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
  /** Where its key and its clients are kept. Default: nowhere. */
  readonly stateFile?: string;
}

/** Under which Nest gives the options. */
export const AUTHORIZATION_OPTIONS = Symbol('AuthorizationOptions');

/** The demo's authorization server. What it keeps over a restart is in {@link KeptState}. */
@Injectable()
export class AuthorizationServer {
  readonly provider: Provider;
  readonly #privateKey: KeyObject;
  readonly #publicUrl: string;
  readonly #answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;

  constructor(
    { publicUrl = '' }: Settings,
    @Inject(AUTHORIZATION_OPTIONS) { fetch, stateFile }: AuthorizationOptions,
  ) {
    const kept = new KeptState(stateFile);
    this.#privateKey = createPrivateKey({ key: kept.key, format: 'jwk' });
    this.#publicUrl = publicUrl;
    this.provider = new Provider(
      publicUrl,
      providerConfiguration({ publicUrl, kept, ...(fetch && { fetch }) }),
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
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'demo' })
      .setIssuer(this.#publicUrl)
      .setAudience([this.#publicUrl, `${this.#publicUrl}/mcp`])
      .setSubject(buyerId)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ttlSeconds)
      .setJti(randomUUID())
      .sign(this.#privateKey);
  }
}
