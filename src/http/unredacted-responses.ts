import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { AppError } from '../kernel/app-error.js';
import { Log } from '../observability/logger.js';
import { rawRequest, REQUEST_CONTEXT, type RequestContext } from './request-context.js';

/** Declares that a success of a handler may be sent only once it was redacted. */
export const RequiresRedaction = Reflector.createDecorator<boolean>();

/** The members that the responses of Fastify and of Express share. */
interface AdapterResponse {
  readonly statusCode: number;
  /** Fastify's request, or Node's with Express. */
  readonly request?: object;
  readonly req?: object;
}

/**
 * Rejects the success of an endpoint whose result was not redacted for this request. An interceptor
 * of the host application causes this when it answers in place of the handler, as a cache does:
 * what it returns was redacted for another caller.
 */
@Injectable()
export class UnredactedResponses implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly log: Log,
  ) {}

  /** Wraps the method with which Nest sends the result of every handler on either adapter. */
  onModuleInit(): void {
    const { httpAdapter } = this.adapters as Partial<HttpAdapterHost>;
    // An application context has no HTTP server.
    if (!httpAdapter) return;
    const reply = httpAdapter.reply.bind(httpAdapter);
    httpAdapter.reply = (response: AdapterResponse, body: unknown, status?: number): unknown => {
      this.#assertRedacted(response, body, status ?? response.statusCode);
      return reply(response, body, status) as unknown;
    };
  }

  /** @throws {AppError} `internal`, for which the filter of the endpoint sends the response. */
  #assertRedacted(response: AdapterResponse, body: unknown, status: number): void {
    const context = contextOfResponse(response);
    if (!context?.requiresRedaction || context.isRedacted) return;
    const isSuccessWithBody = status < 400 && body !== undefined && body !== null;
    if (!isSuccessWithBody) return;
    this.log.error(
      { id: context.id, route: context.route },
      'response was not redacted: skip the endpoints in caches by isDealSetsEndpoint',
    );
    throw new AppError('internal', { cause: new UnredactedResponseError() });
  }
}

/** A response that an interceptor of the host application sent in place of the handler. */
class UnredactedResponseError extends Error {
  override readonly name = 'UnredactedResponseError';
}

function contextOfResponse({ request, req }: AdapterResponse): RequestContext | undefined {
  const adapterRequest = request ?? req;
  return adapterRequest && rawRequest(adapterRequest)[REQUEST_CONTEXT];
}
