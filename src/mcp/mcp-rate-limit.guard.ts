import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import type { ThrottlerLimitDetail } from '@nestjs/throttler';
import { contextOf, type RequestContext } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';

const rejections = new WeakMap<RequestContext, AppError>();

/**
 * Counts like `RateLimitGuard`, but leaves the rejection to the handler, which receives it through
 * `@RateLimitRejection()`.
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
      if (!(error instanceof AppError)) throw error;
      rejections.set(contextOf(context), error);
    }
  }
}

/**
 * Parameter decorator: the error of a request over the rate limit; undefined for a request within
 * the limit.
 */
export const RateLimitRejection = createParamDecorator(
  (_data: unknown, execution): AppError | undefined => rejections.get(contextOf(execution)),
);
