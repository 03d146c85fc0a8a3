import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import type { ThrottlerLimitDetail } from '@nestjs/throttler';
import { requestIdOf } from '../http/errors/json-rpc-error.js';
import { contextOf, type HttpCall, type RequestContext } from '../http/context/request-context.js';
import { AppError } from '../kernel/app-error.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';

/** A tool call over the rate limit. */
export interface RejectedCall {
  /** The id of the JSON-RPC request. */
  readonly id: string | number;
  readonly error: AppError;
}

const rejections = new WeakMap<RequestContext, RejectedCall>();

/**
 * Counts and rejects like `RateLimitGuard`. A rejected tool call reaches the handler, which gets it
 * through `@Rejection()` and returns a tool result, so that the client shows the error to the
 * model. Of the message, only the id and the method are read, because a rejection must cost little.
 */
@Injectable()
export class McpRateLimitGuard extends RateLimitGuard {
  protected override async throwThrottlingException(
    context: ExecutionContext,
    detail: ThrottlerLimitDetail,
  ): Promise<void> {
    try {
      await super.throwThrottlingException(context, detail);
    } catch (error) {
      const { body } = context.switchToHttp().getRequest<{ body?: { method?: unknown } | null }>();
      const id = requestIdOf(body);
      if (!(error instanceof AppError) || id === null || body?.method !== 'tools/call') throw error;
      rejections.set(contextOf(context), { id, error });
    }
  }
}

/** Returns the tool call if it is over the rate limit; undefined for a request within the limit. */
export function rejectionOf(execution: HttpCall): RejectedCall | undefined {
  return rejections.get(contextOf(execution));
}

/** Parameter decorator: the tool call if it is over the rate limit. */
export const Rejection = createParamDecorator((_data: unknown, execution) =>
  rejectionOf(execution),
);
