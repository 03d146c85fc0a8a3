import { createParamDecorator, type ArgumentsHost } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';
import { contextOf, principalOf } from './request-context.js';

/**
 * Returns the request's signal, for guards of a host application: aborted at the deadline and when
 * the client leaves.
 */
export function requestSignal(execution: Pick<ArgumentsHost, 'switchToHttp'>): AbortSignal {
  return contextOf(execution).signal;
}

/** Parameter decorator: the caller, as the credential guard verified it. */
export const CurrentPrincipal = createParamDecorator((_data: unknown, execution): Principal =>
  principalOf(execution),
);

/**
 * Parameter decorator: the request's `AbortSignal`, aborted at the deadline and when the client
 * leaves.
 */
export const RequestSignal = createParamDecorator((_data: unknown, execution): AbortSignal =>
  requestSignal(execution),
);

/** Parameter decorator: when the request arrived, on the clock of `performance.now()`. */
export const RequestStart = createParamDecorator(
  (_data: unknown, execution): number => contextOf(execution).startedAt,
);

/**
 * Parameter decorator: the headers of the endpoint's success response, which the handler fills in.
 * An error response has none of them.
 */
export const ResponseHeaders = createParamDecorator(
  (_data: unknown, execution): Record<string, string> => contextOf(execution).responseHeaders,
);
