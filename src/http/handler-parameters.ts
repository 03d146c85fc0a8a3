import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
import type { RequestContext } from './request-context.js';

/** The caller, as the credential guard verified it. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): Principal => {
    const { principal } = contextOf(execution);
    // The guards admit no request without a principal; if one ever comes through, nothing is read.
    if (!principal) throw new AppError('internal');
    return principal;
  },
);

/** The deadline of the request, which began when the request arrived. */
export const RequestDeadline = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): Deadline => contextOf(execution).deadline,
);

/** Why a request to an endpoint with a protocol of its own is over the rate limit; undefined when it is not. */
export const RateLimitRefusal = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): AppError | undefined =>
    contextOf(execution).rateLimitRefusal,
);

/**
 * Headers of the endpoint's success response, to be filled by the handler. They are written with the body,
 * after every interceptor, so that no module can change them.
 */
export const ResponseHeaders = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): Record<string, string> =>
    (contextOf(execution).responseHeaders ??= {}),
);

function contextOf(execution: ExecutionContext): RequestContext {
  return execution.switchToHttp().getRequest<FastifyRequest>().raw.context;
}
