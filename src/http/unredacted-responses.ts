import { Injectable, StreamableFile, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppError } from '../kernel/app-error.js';
import { Log } from '../observability/logger.js';
import { writesResponse } from './handler-parameters.js';
import { rawRequest, REQUEST_CONTEXT, type RequestContext } from './request-context.js';
import { DeclaredContent, type ResponseContent } from './response-content.js';
import { RouteDiscovery } from './route-discovery.js';

/** The members that the responses of Fastify and of Express share. */
interface AdapterResponse {
  readonly statusCode: number;
  /** Fastify's request, or Node's with Express. */
  readonly request?: object;
  readonly req?: object;
}

/** The log message for a body that a handler's declared content does not allow. */
const PROBLEMS: Readonly<Record<ResponseContent, string>> = {
  redacted: 'response was not redacted: skip the endpoints in caches by isDealSetsEndpoint',
  none: 'response has a body: declare its class in place of none',
  binary: 'response is no StreamableFile: return one, or declare the class of the response',
};

/**
 * Rejects the success of a handler whose body is not what the handler declares, such as a result
 * that was not redacted for this request. An interceptor of the host application causes this when
 * it answers in place of the handler, as a cache does: what it returns was redacted for another
 * caller.
 */
@Injectable()
export class UnredactedResponses implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly log: Log,
    private readonly discovery: RouteDiscovery,
  ) {}

  /**
   * Wraps the method with which Nest sends the result of every handler on either adapter.
   *
   * @throws {Error} naming the handlers that declare their content and would send another past it.
   */
  onModuleInit(): void {
    const bypassing = this.discovery
      .declarations(DeclaredContent)
      .filter(({ route }) => writesResponse(route))
      .map(
        ({ route }) =>
          `${route.name}: use @Res({ passthrough: true }), or the response is not redacted`,
      );
    if (bypassing.length > 0) throw new Error(bypassing.join('\n'));
    const { httpAdapter } = this.adapters as Partial<HttpAdapterHost>;
    // An application context has no HTTP server.
    if (!httpAdapter) return;
    const reply = httpAdapter.reply.bind(httpAdapter);
    httpAdapter.reply = (response: AdapterResponse, body: unknown, status?: number): unknown => {
      this.#assertAllowed(response, body, status ?? response.statusCode);
      return reply(response, body, status) as unknown;
    };
  }

  /** @throws {AppError} `internal`, for which the filter of the endpoint sends the response. */
  #assertAllowed(response: AdapterResponse, body: unknown, status: number): void {
    const context = contextOfResponse(response);
    const { content } = context ?? {};
    if (!context || !content || status >= 400) return;
    if (body === undefined || body === null || isAllowed(body, content, context)) return;
    this.log.error({ id: context.id, route: context.route }, PROBLEMS[content]);
    throw new AppError('internal', { cause: new UnredactedResponseError() });
  }
}

function isAllowed(body: unknown, content: ResponseContent, context: RequestContext): boolean {
  switch (content) {
    case 'redacted':
      return context.isRedacted;
    case 'none':
      return false;
    case 'binary':
      return body instanceof StreamableFile;
  }
}

/** A response whose body is not what its handler declares. */
class UnredactedResponseError extends Error {
  override readonly name = 'UnredactedResponseError';
}

function contextOfResponse({ request, req }: AdapterResponse): RequestContext | undefined {
  const adapterRequest = request ?? req;
  return adapterRequest && rawRequest(adapterRequest)[REQUEST_CONTEXT];
}
