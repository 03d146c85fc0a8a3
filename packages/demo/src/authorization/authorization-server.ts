import './quiet-warnings.js';
import { createPrivateKey, randomUUID, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { All, Controller, Injectable, Req, Res, UseGuards } from '@nestjs/common';
import { Public, READ_SCOPE, Settings } from '@deal-sets/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { OwnHostGuard } from '../web-forms/own-origin.guard.js';
import type { KeptState } from './kept-state.js';
import { providerConfiguration } from './provider-configuration.js';

const AUTHORIZE = /^\/oauth\/authorize(\?|$)/;
const SCOPE = /[?&]scope=/;

/** The claims of a token of the demo. */
export interface DemoToken {
  readonly buyerId: string;
  readonly clientId: string;
  readonly scope: string;
  readonly ttlSeconds: number;
}

/** The server's keys and clients, and how client metadata documents are fetched. */
export class AuthorizationOptions {
  constructor(
    readonly kept: KeptState,
    readonly fetch?: typeof globalThis.fetch,
  ) {}
}

/** The demo's authorization server. {@link KeptState} holds what it keeps over a restart. */
@Injectable()
export class AuthorizationServer {
  readonly provider: Provider;
  readonly #privateKey: KeyObject;
  readonly #publicUrl: string;
  readonly #answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;

  constructor({ publicUrl = '' }: Settings, { kept, fetch }: AuthorizationOptions) {
    this.#privateKey = createPrivateKey({ key: kept.key, format: 'jwk' });
    this.#publicUrl = publicUrl;
    this.provider = new Provider(
      publicUrl,
      providerConfiguration({ publicUrl, kept, ...(fetch && { fetch }) }),
    );
    this.#answer = this.provider.callback();
  }

  /** Responds to a request of the protocol. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request;
    if (AUTHORIZE.test(url)) {
      // A client that names no scope gets the one there is (RFC 6749, section 3.3).
      if (!SCOPE.test(url))
        request.url = `${url}${url.includes('?') ? '&' : '?'}scope=${READ_SCOPE}`;
      // Each request is approved by itself: a session here would skip the page, or name another
      // buyer.
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

/** Hands the addresses of the protocol to the authorization server. */
@Controller()
@Public()
@UseGuards(OwnHostGuard)
export class AuthorizationController {
  constructor(private readonly server: AuthorizationServer) {}

  /** With RFC 8414's address, and the one that clients of OpenID Connect try. */
  @All(['oauth/*', '.well-known/oauth-authorization-server', '.well-known/openid-configuration'])
  async answer(@Req() { raw, body }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    // JSON is read by now.
    if (body !== undefined) Object.assign(raw, { body });
    await this.server.answer(raw, reply.raw);
  }
}
