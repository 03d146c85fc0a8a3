import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal';
import { REDIRECT_METADATA, RENDER_METADATA, SSE_METADATA } from '@nestjs/common/constants.js';
import { HttpAdapterHost } from '@nestjs/core';
import { errorFields } from '../observability/error-fields.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { ERROR_CATALOGUE, errorMessage } from './error-catalogue.js';
import { errorEnvelope } from './error-response.js';
import { parameterTypes, writesResponse } from './handler-parameters.js';
import { isRedactedFor } from './redacted-result.js';
import {
  rawRequest,
  REQUEST_CONTEXT,
  type RequestContext,
  type RequestWithContext,
} from './request-context.js';
import { DeclaredContent, isReplaced, type ResponseContent } from './response-content.js';
import { RouteDiscovery, type Route } from './route-discovery.js';
import { removeSuccessHeaders, type ResponseWithHeaders } from './success-headers.interceptor.js';

/** The members that the responses of Fastify and of Express share. */
interface AdapterResponse extends ResponseWithHeaders {
  readonly statusCode: number;
  /** Fastify's request. A response of Express has its request in `req`. */
  readonly request?: object;
  readonly req?: object;
}

/** The log message for a body that a handler's declared content does not allow. */
const PROBLEMS: Readonly<Record<ResponseContent, string>> = {
  redacted: 'response was not redacted: use isDealSetsEndpoint to skip the endpoints in caches',
  none: 'response has a body: declare its class instead of none',
  binary:
    'response is not the file of the handler: use isDealSetsEndpoint to skip the endpoints in caches',
};

/**
 * The decorators of Nest that send the result of a handler in a way that cannot be checked, by the
 * key of their metadata.
 */
const UNCHECKED_DECORATORS: ReadonlyMap<string, string> = new Map([
  [RENDER_METADATA, '@Render'],
  [REDIRECT_METADATA, '@Redirect'],
  [SSE_METADATA, '@Sse'],
]);

/**
 * Rejects a success response whose body does not match the handler's declaration, such as a result
 * that was not redacted for this request. This happens when an interceptor of the host application
 * responds in place of the handler. A cache, for example, may return a result that was redacted for
 * another caller.
 */
@Injectable()
export class ResponseContentCheck implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly logger: ServiceLogger,
    private readonly discovery: RouteDiscovery,
  ) {}

  /**
   * Wraps the method with which Nest sends the results of all handlers, on both adapters.
   *
   * @throws {Error} naming the handlers that declare their content but send the response in another
   *   way.
   */
  onModuleInit(): void {
    const replaced = this.discovery.routes
      .filter(isReplaced)
      .map(({ name }) => `${name}: a decorator above @Endpoint or @Redacted replaces the method`)
      .map((problem) => `${problem}: put it below, or let it copy the metadata`);
    const unchecked = this.discovery
      .declarations(DeclaredContent)
      .flatMap(({ route }) => problemsOf(route).map((problem) => `${route.name}: ${problem}`));
    const problems = [...replaced, ...unchecked];
    if (problems.length > 0) throw new Error(problems.join('\n'));
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
   * Checks a body against the declared content of its handler. For a body that is rejected, the
   * headers of the success are removed and the problem is logged.
   */
  #isRejected(response: AdapterResponse, body: unknown, status = response.statusCode): boolean {
    const { [REQUEST_CONTEXT]: context, method } = requestOf(response);
    const { content } = context ?? {};
    const hasBody = method !== 'HEAD' && status !== 204;
    if (!context || !content || !hasBody || status >= 400) return false;
    if (isAllowed(body, context, content)) return false;
    removeSuccessHeaders(response, context);
    context.errorCode = 'internal';
    context.failure = errorFields(new UndeclaredContentError());
    this.logger.error({ msg: PROBLEMS[content], id: context.id, route: context.route });
    return true;
  }
}

/** Returns how a handler sends its response without a check, with the remedy for each way. */
function problemsOf(route: Route): string[] {
  const ways = [...UNCHECKED_DECORATORS]
    .filter(([metadata]) => Reflect.hasMetadata(metadata, route.handler))
    .map(([, name]) => `remove ${name}: its response cannot be checked`);
  if (parameterTypes(RouteParamtypes.NEXT, route).length > 0) {
    ways.push('remove @Next(): its response cannot be checked');
  }
  if (!writesResponse(route)) return ways;
  return [...ways, 'use @Res({ passthrough: true }), or the response is not redacted'];
}

/** Returns whether the body of a success response may be sent. */
function isAllowed(body: unknown, context: RequestContext, content: ResponseContent): boolean {
  switch (content) {
    case 'redacted':
      return isRedactedFor(body, context);
    case 'none':
      return body === undefined || body === null;
    case 'binary':
      return body !== undefined && body === context.openedFile;
  }
}

/** The cause of the 500 for a body that does not match its handler's declaration. */
class UndeclaredContentError extends Error {
  override readonly name = 'UndeclaredContentError';
}

/** Returns Node's request for a response of the adapter. */
function requestOf({ request, req }: AdapterResponse): Partial<RequestWithContext> {
  const adapterRequest = request ?? req;
  return adapterRequest ? rawRequest(adapterRequest) : {};
}
