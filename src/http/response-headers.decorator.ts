import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * Headers of the endpoint's success response, to be filled by the handler. They are written with the body,
 * after every interceptor, so that no module can change them.
 */
export const ResponseHeaders = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): Record<string, string> =>
    (execution.switchToHttp().getRequest<FastifyRequest>().raw.context.responseHeaders ??= {}),
);
