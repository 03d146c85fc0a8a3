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
  /** Fastify's request. A response of Express has its request in `req`. */
  readonly request?: object;
  readonly req?: object;
}

/** The log message for a body that a handler's declared content does not allow. */
const PROBLEMS: Readonly<Record<ResponseContent, string>> = {
  redacted: 'response was not redacted: use isDealSetsEndpoint to skip the endpoints in caches',
  none: 'response has a body: declare its class instead of none',
  binary: 'response is not a StreamableFile: return one, or declare the class of the response',
};

/**
 * Rejects a success response whose body does not match the handler's declaration, such as a result
 * that was not redacted for this request. This happens when an interceptor of the host application
 * responds in place of the handler. A cache, for example, may return a result that was redacted for
 * another caller.
 */
@Injectable()
export class UnredactedResponses implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly log: Log,
    private readonly discovery: RouteDiscovery,
  ) {}

  /**
   * Wraps the method with which Nest sends the results of all handlers, on both adapters.
   *
   * @throws {Error} naming the handlers that declare their content but write the response
   *   themselves.
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

  /**
   * Checks a body against the declared content of its handler.
   *
   * @throws {AppError} `internal`, for which the filter of the endpoint sends the response.
   */
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

/** Thrown for a response whose body does not match its handler's declaration. */
class UnredactedResponseError extends Error {
  override readonly name = 'UnredactedResponseError';
}

function contextOfResponse({ request, req }: AdapterResponse): RequestContext | undefined {
  const adapterRequest = request ?? req;
  return adapterRequest && rawRequest(adapterRequest)[REQUEST_CONTEXT];
}
