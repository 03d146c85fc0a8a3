import { createParamDecorator } from '@nestjs/common';
import type { Deadline } from '../../kernel/deadline.js';
import type { Principal } from '../../kernel/principal.js';
import { contextOf, principalOf, type HttpCall } from './request-context.js';
import type { RequestNotes } from './request-notes.js';

/**
 * Returns the request's signal, for guards of a host application. It is aborted at the deadline and
 * when the client leaves.
 */
export function requestSignal(execution: HttpCall): AbortSignal {
  return contextOf(execution).deadline.signal;
}

/** Parameter decorator: the caller, as `AdmissionGuard` has signed it in. */
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

/** Parameter decorator: the request's `Deadline`, counted from its arrival. */
export const RequestDeadline = createParamDecorator(
  (_data: unknown, execution): Deadline => contextOf(execution).deadline,
);

/**
 * Parameter decorator: the headers of the endpoint's success response, which the handler fills in.
 * An error response has none of them.
 */
export const ResponseHeaders = createParamDecorator(
  (_data: unknown, execution): Record<string, string> => contextOf(execution).responseHeaders,
);

/** Parameter decorator: what the log line, the metrics and the observer report of the request. */
export const Notes = createParamDecorator(
  (_data: unknown, execution): RequestNotes => contextOf(execution).notes,
);
