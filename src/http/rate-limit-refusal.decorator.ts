import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AppError } from '../kernel/app-error.js';

/** Why a request to an endpoint with a protocol of its own is over the rate limit; undefined when it is not. */
export const RateLimitRefusal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AppError | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().raw.context.rateLimitRefusal,
);
