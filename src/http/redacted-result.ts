import type { RequestContext } from './request-context.js';

/** The id of the request for which a result was redacted. */
const REDACTED_FOR = Symbol('redacted for');

/**
 * Notes that a result was redacted for a request. The property is not enumerable: it is neither sent
 * nor copied.
 */
export function markRedacted(result: object, context: RequestContext): void {
  context.isRedacted = true;
  Object.defineProperty(result, REDACTED_FOR, { value: context.id });
}

/**
 * Returns whether a body may be sent as the redacted result of a request.
 *
 * The request must have redacted a result, and the body must not be one that was redacted for
 * another request, which an interceptor may have stored. Any other body passes, because
 * interceptors may wrap or change the result of the request.
 */
export function isRedactedFor(body: unknown, { isRedacted, id }: RequestContext): boolean {
  if (!isRedacted || typeof body !== 'object' || body === null) return isRedacted;
  const { [REDACTED_FOR]: redactedFor = id } = body as { readonly [REDACTED_FOR]?: string };
  return redactedFor === id;
}
