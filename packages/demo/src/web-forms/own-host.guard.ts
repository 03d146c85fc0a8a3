import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AppError, Settings } from 'deal-sets';
import type { FastifyRequest } from 'fastify';

/**
 * The `Host` must be the demo's own: another is a name that some web page made to lead here. Enough for
 * addresses that programs call, which send no `Origin`.
 */
@Injectable()
export class OwnHostGuard implements CanActivate {
  readonly #host: string;

  constructor({ publicUrl = '' }: Settings) {
    this.#host = new URL(publicUrl).host;
  }

  /** @throws {AppError} `forbidden`. */
  canActivate(execution: ExecutionContext): boolean {
    const { headers } = execution.switchToHttp().getRequest<FastifyRequest>();
    if (headers.host !== this.#host) throw new AppError('forbidden');
    return true;
  }
}
