import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AppError, Settings } from '@deal-sets/service';
import type { FastifyRequest } from 'fastify';

/**
 * Rejects a request whose `Host` is not the demo's, because a web page can point its own host name
 * at this machine (DNS rebinding). Endpoints for programs need no other check, and programs send no
 * `Origin`.
 */
@Injectable()
export class OwnHostGuard implements CanActivate {
  readonly #host: string;

  constructor(protected readonly settings: Settings) {
    this.#host = new URL(settings.publicUrl ?? '').host;
  }

  /** @throws {AppError} `forbidden` if the `Host` is not the demo's. */
  canActivate(execution: ExecutionContext): boolean {
    const { headers } = execution.switchToHttp().getRequest<FastifyRequest>();
    if (headers.host !== this.#host) throw new AppError('forbidden');
    return true;
  }
}

/** Protects pages: checks the `Host`, and that a POST comes from a page of this origin. */
@Injectable()
export class OwnOriginGuard extends OwnHostGuard {
  /**
   * @throws {AppError} `forbidden` if the `Host` is not the demo's, or if a POST comes from another
   *   origin.
   */
  override canActivate(execution: ExecutionContext): boolean {
    const { method, headers } = execution.switchToHttp().getRequest<FastifyRequest>();
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && headers.origin !== this.settings.publicUrl) throw new AppError('forbidden');
    return super.canActivate(execution);
  }
}
