import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { isLoopback } from '../config/setting-parsers.js';
import { AppError } from '../kernel/app-error.js';
import { policyOf } from '../endpoint/endpoint-policy.js';
import { rawResponse } from '../http/request-context.js';
import { Requests } from '../http/request-context.service.js';

/** Where a protected resource's metadata lies (RFC 9728, section 3.1). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** A host and a port: nothing that a URL would read as a user, a path or a query. */
const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/**
 * First of the guards, for endpoints with a protocol of their own. Refuses (`forbidden`) what a web page sent or made
 * a browser send: `Host`, and `Origin` where there is one, must be those of `PUBLIC_URL`, or any loopback name when the
 * service listens on loopback.
 */
@Injectable()
export class ProtectedResourceGuard implements CanActivate {
  constructor(
    private readonly settings: Settings,
    private readonly requests: Requests,
  ) {}

  canActivate(execution: ExecutionContext): boolean {
    const policy = policyOf(execution);
    const { publicUrl, issuer } = this.settings;
    if (publicUrl === undefined || !policy.protocol) throw new Error('PUBLIC_URL is not known');
    const { resource } = policy.protocol;
    const response = rawResponse(execution);
    const context = this.requests.begin(response);
    context.policy = policy;
    this.#assertOwnOrigin(response.req, publicUrl);
    context.protectedResource = {
      audiences: [publicUrl, publicUrl + resource],
      // The development issuer has no metadata to find.
      metadataUrl: issuer && publicUrl + METADATA_PATH + resource,
    };
    return true;
  }

  #assertOwnOrigin({ headers: { host = '', origin } }: IncomingMessage, publicUrl: string): void {
    const asked = `${new URL(publicUrl).protocol}//${host}`;
    const isOwnHost = HOST.test(host) && this.#isOwn(asked, publicUrl);
    // An origin is nothing but itself: no path, no user, and of a web page.
    const isOwnOrigin =
      origin === undefined || (this.#isOwn(origin, publicUrl) && new URL(origin).origin === origin);
    if (!isOwnHost || !isOwnOrigin) throw new AppError('forbidden');
  }

  #isOwn(url: string, publicUrl: string): boolean {
    if (!URL.canParse(url)) return false;
    const { origin, hostname } = new URL(url);
    return origin === publicUrl || (isLoopback(this.settings.host) && isLoopback(hostname));
  }
}
