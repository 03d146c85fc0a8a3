import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { MCP_PATH, mcpAudiences } from '../auth/mcp-resource.js';
import { Settings } from '../config/settings.js';
import { isLoopback } from '../config/setting-parsers.js';
import { AppError } from '../kernel/app-error.js';
import { READ_SCOPE } from '../kernel/principal.js';
import type { OriginRejection } from '../http/context/request-notes.js';
import { RequestContextService } from '../http/context/request-context.service.js';
import { metadataUrlOf } from '../oauth-metadata/metadata-path.js';

/**
 * A host with an optional port, without anything that a URL would parse as a user, a path or a
 * query.
 */
const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/**
 * The first guard of `/mcp`. It responds `forbidden` to requests that may come from a web page of
 * an origin that is not allowed. `Host`, and `Origin` if present, must match `PUBLIC_URL`, or be
 * any loopback name if `PUBLIC_URL` is one. An origin of `CORS_ORIGINS` is also accepted.
 */
@Injectable()
export class ProtectedResourceGuard implements CanActivate {
  constructor(
    private readonly settings: Settings,
    private readonly requests: RequestContextService,
  ) {}

  canActivate(execution: ExecutionContext): boolean {
    const { publicUrl, issuer } = this.settings;
    if (publicUrl === undefined) throw new Error('PUBLIC_URL is not known');
    const context = this.requests.ofHandler(execution);
    const rejection = this.#rejectionOf(context.response.req, publicUrl);
    if (rejection) {
      context.notes.originRejection = rejection;
      throw new AppError('forbidden');
    }
    context.protectedResource = {
      audiences: mcpAudiences(this.settings),
      // With the development issuer there is no metadata.
      metadataUrl: issuer && metadataUrlOf(publicUrl, MCP_PATH),
      scope: READ_SCOPE,
    };
    return true;
  }

  #rejectionOf(
    { headers: { host = '', origin } }: IncomingMessage,
    publicUrl: string,
  ): OriginRejection | undefined {
    const requestedOrigin = `${new URL(publicUrl).protocol}//${host}`;
    const isOwnHost = HOST.test(host) && this.#isOwn(requestedOrigin, publicUrl);
    if (!isOwnHost) return 'host_not_allowed';
    // Accepts only a bare origin: a URL with a path or user information is not an origin.
    const isAllowedOrigin =
      origin === undefined ||
      this.settings.corsOrigins.includes(origin) ||
      (this.#isOwn(origin, publicUrl) && new URL(origin).origin === origin);
    return isAllowedOrigin ? undefined : 'origin_not_allowed';
  }

  #isOwn(url: string, publicUrl: string): boolean {
    if (!URL.canParse(url)) return false;
    const { origin, hostname } = new URL(url);
    return (
      origin === new URL(publicUrl).origin ||
      (isLoopback(new URL(publicUrl).hostname) && isLoopback(hostname))
    );
  }
}
