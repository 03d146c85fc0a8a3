import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AppError, Settings } from 'deal-sets';
import type { FastifyRequest } from 'fastify';
import { OwnHostGuard } from './own-host.guard.js';

/** For pages: besides the `Host`, a POST must come from a page of this origin. */
@Injectable()
export class OwnOriginGuard extends OwnHostGuard {
  readonly #origin: string;

  constructor(settings: Settings) {
    super(settings);
    this.#origin = settings.publicUrl ?? '';
  }

  /** @throws {AppError} `forbidden`. */
  override canActivate(execution: ExecutionContext): boolean {
    super.canActivate(execution);
    const { method, headers } = execution.switchToHttp().getRequest<FastifyRequest>();
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && headers.origin !== this.#origin) throw new AppError('forbidden');
    return true;
  }
}
