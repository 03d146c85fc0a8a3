import type { ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ERROR_CATALOGUE, errorEnvelope, errorMessage } from '../../kernel/error-catalogue.js';
import { errorFields } from '../../observability/error-fields.js';
import { ServiceLogger } from '../../observability/service-logger.js';
import {
  REQUEST_CONTEXT,
  type RequestContext,
  type RequestWithContext,
} from '../../http/context/request-context.js';
import {
  removeSuccessHeaders,
  type ResponseWithHeaders,
} from '../../http/context/success-headers.interceptor.js';

/** The members that the responses of Fastify and of Express share. */
interface AdapterResponse extends ResponseWithHeaders {
  readonly statusCode: number;
  /** Node's response, which Fastify's wraps. A response of Express is itself Node's response. */
  readonly raw?: ServerResponse<RequestWithContext>;
  readonly req: RequestWithContext;
}

/** The id of the request for which a result was redacted. */
const REDACTED_FOR = Symbol('redacted for');

/**
 * Notes that a result was redacted for a request. The property is not enumerable: it is neither
 * sent nor copied.
 */
export function markRedacted(result: object, context: RequestContext): void {
  context.isRedacted = true;
  Object.defineProperty(result, REDACTED_FOR, { value: context.id });
}

/**
 * The last check of the response of an endpoint, or of a handler with `@Redacted`: it rejects a
 * success response that was not redacted for this request. This happens when an interceptor of the
 * host application responds in place of the handler. A cache, for example, may return a result that
 * was redacted for another caller.
 *
 * It wraps the method with which Nest sends the results of all handlers, on both adapters, because
 * only this method runs after every interceptor.
 */
@Injectable()
export class LastRedactionCheck implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly logger: ServiceLogger,
  ) {}

  onModuleInit(): void {
    const { httpAdapter } = this.adapters as Partial<HttpAdapterHost>;
    // An application context has no HTTP server.
    if (!httpAdapter) return;
    const reply = httpAdapter.reply.bind(httpAdapter);
    httpAdapter.reply = (response: AdapterResponse, body: unknown, status?: number): unknown => {
      if (!this.#isRejected(response, body, status)) return reply(response, body, status);
      // The error response is sent here, not thrown, because exception filters of the host
      // application also call this method.
      const { status: internal } = ERROR_CATALOGUE.internal;
      return reply(response, errorEnvelope('internal', errorMessage('internal')), internal);
    };
  }

  /**
   * Checks a body. If it may not be sent, this method removes the success headers, logs the problem
   * and returns true.
   */
  #isRejected(response: AdapterResponse, body: unknown, status = response.statusCode): boolean {
    const { [REQUEST_CONTEXT]: context, method } = (response.raw ?? response).req;
    const hasBody = method !== 'HEAD' && status !== 204;
    if (!context || !hasBody || status >= 400) return false;
    const { kind, response: dto } = context.policy;
    if (kind !== 'endpoint' && !dto) return false;
    if (isRedactedFor(body, context)) return false;
    removeSuccessHeaders(response, context);
    context.notes.errorCode = 'internal';
    context.notes.failure = errorFields(new UnredactedResponseError());
    const advice =
      'an interceptor or a cache replaced the result: use isDealSetsEndpoint to skip the endpoints';
    const msg = `response was not redacted: ${advice}`;
    this.logger.error({ msg, id: context.id, route: context.route });
    return true;
  }
}

/**
 * Returns whether a body may be sent as the redacted result of a request: the request must have
 * redacted a result, and the body must not be one that was redacted for another request. Any other
 * body passes, because interceptors may wrap or copy the result of the request.
 */
function isRedactedFor(body: unknown, { isRedacted, id }: RequestContext): boolean {
  if (!isRedacted || typeof body !== 'object' || body === null) return isRedacted;
  const { [REDACTED_FOR]: redactedFor = id } = body as { readonly [REDACTED_FOR]?: string };
  return redactedFor === id;
}

/** The cause of the 500 for a body that was not redacted for its request. */
class UnredactedResponseError extends Error {
  override readonly name = 'UnredactedResponseError';
}
