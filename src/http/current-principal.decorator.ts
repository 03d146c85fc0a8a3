import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';

/** The caller, as the credential guard verified it. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal => {
    const { principal } = context.switchToHttp().getRequest<FastifyRequest>().raw.context;
    // The guards admit no request without a principal; if one ever comes through, nothing is read.
    if (!principal) throw new AppError('internal');
    return principal;
  },
);
