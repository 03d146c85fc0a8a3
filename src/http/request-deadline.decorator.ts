import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Deadline } from '../kernel/deadline.js';

/** The deadline of the request, which began when the request arrived. */
export const RequestDeadline = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Deadline =>
    context.switchToHttp().getRequest<FastifyRequest>().raw.context.deadline,
);
