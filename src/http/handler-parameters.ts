import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { contextOf, principalOf, requestSignal } from './request-context.js';

/** The caller, as the credential guard verified it. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): Principal => principalOf(execution),
);

/** The request's time as an `AbortSignal`: aborted at the deadline and when the client leaves. */
export const RequestSignal = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): AbortSignal => requestSignal(execution),
);

/** Why a request to an endpoint with a protocol of its own is over the rate limit; undefined when it is not. */
export const RateLimitRefusal = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): AppError | undefined =>
    contextOf(execution).rateLimitRefusal,
);

/** Headers of the endpoint's success response, to be filled by the handler; an error response has none of them. */
export const ResponseHeaders = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): Record<string, string> =>
    (contextOf(execution).responseHeaders ??= {}),
);
