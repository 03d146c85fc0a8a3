import './quiet-warnings.js';
import { createPrivateKey, randomUUID, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { All, Controller, Injectable, Req, Res, UseGuards } from '@nestjs/common';
import { Settings } from '@deal-sets/service';
import { Public, READ_SCOPE } from '@deal-sets/service/standalone';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { OwnHostGuard } from '../web-forms/own-origin.guard.js';
import { isForwarded } from '../demo-settings.js';
import type { KeptState } from './kept-state.js';
import { providerConfiguration } from './provider-configuration.js';

const AUTHORIZE = /^\/oauth\/authorize(\?|$)/;
const SCOPE = /[?&]scope=/;

/** The claims of a token that the demo issues. */
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
    /** The address at which this machine reaches the demo. Default: the public address. */
    readonly localUrl?: string,
  ) {}
}

/** The demo's authorization server. Its {@link KeptState} survives restarts. */
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
    // Behind a proxy, the addresses in responses have the scheme of the public address.
    this.provider.proxy = isForwarded(publicUrl);
    this.#answer = this.provider.callback();
  }

  /** Responds to an OAuth request. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request;
    if (AUTHORIZE.test(url)) {
      // A client that requests no scope gets the read scope by default (RFC 6749, section 3.3).
      if (!SCOPE.test(url))
        request.url = `${url}${url.includes('?') ? '&' : '?'}scope=${READ_SCOPE}`;
      // Every request is approved separately: the authorization server's own session could skip the
      // approval page or belong to another buyer.
      request.headers.cookie = (request.headers.cookie ?? '')
        .split('; ')
        .filter((pair) => !pair.startsWith(this.provider.cookieName('session')))
        .join('; ');
    }
    await this.#answer(request, response);
  }

  /**
   * Issues a token without the approval page, in the format that the token endpoint uses (RFC
   * 9068).
   */
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

/** Forwards the OAuth paths to the authorization server. */
@Controller()
@Public()
@UseGuards(OwnHostGuard)
export class AuthorizationController {
  constructor(private readonly server: AuthorizationServer) {}

  /**
   * Handles every OAuth request. The metadata is served both at the path of RFC 8414 and at the
   * path that OpenID Connect clients try.
   */
  @All(['oauth/*', '.well-known/oauth-authorization-server', '.well-known/openid-configuration'])
  async answer(@Req() { raw, body }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    // Fastify has already parsed a JSON body, so pass it on.
    if (body !== undefined) Object.assign(raw, { body });
    await this.server.answer(raw, reply.raw);
  }
}
