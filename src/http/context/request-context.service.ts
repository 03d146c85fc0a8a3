import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type ArgumentsHost, type ExecutionContext } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { UsageError } from '../../kernel/usage-error.js';
import { traceIdsOf } from '../../observability/trace-id.js';
import { CONTRACT_HEADERS, REQUEST_ID_HEADER } from './contract-headers.js';
import { policyOf } from '../policy.js';
import { preventCaching } from '../prevent-caching.js';
import {
  REQUEST_CONTEXT,
  RequestContext,
  rawResponse,
  type RequestWithContext,
} from './request-context.js';
import { RequestLog } from './request-log.js';

/** The members of a framework's request that the context uses. */
type RoutedRequest = RequestContext['input'] & {
  /** Fastify's route pattern; Express has it in `route`. */
  readonly routeOptions?: { readonly url?: string };
  readonly route?: { readonly path?: string };
};

/**
 * Creates the context of each request: in the standalone application on arrival, in a host
 * application at the first guard of the handler. From then on the response carries the contract's
 * headers and the deadline runs, until the response has been sent or the client has left.
 */
@Injectable()
export class RequestContextService {
  constructor(
    private readonly settings: Settings,
    private readonly requestLog: RequestLog,
  ) {}

  /**
   * Returns the context of a call that has reached a guard of its handler, after storing in it the
   * route, the input and the handler's policy. The response is not cached by
   * `@nestjs/cache-manager`.
   */
  ofHandler(execution: ExecutionContext): RequestContext {
    const context = this.ofCall(execution);
    preventCaching(execution.getHandler());
    context.policy = policyOf({
      handler: execution.getHandler(),
      controller: execution.getClass(),
    });
    return context;
  }

  /**
   * Returns the context of a call that has reached a route, after storing in it the route and the
   * input. A call that a global guard rejects reaches no guard of its handler, only its filter.
   *
   * @throws {UsageError} for a call that is not over HTTP.
   */
  ofCall(call: ArgumentsHost): RequestContext {
    if (call.getType() !== 'http') {
      throw new UsageError(
        'sign-in works only on HTTP handlers, not on resolvers or message handlers',
      );
    }
    const context = this.ofResponse(rawResponse(call));
    const request = call.switchToHttp().getRequest<RoutedRequest>();
    context.input = request;
    context.route ??= request.routeOptions?.url ?? request.route?.path;
    return context;
  }

  /**
   * Returns the context of the response's request. The first call creates it and makes the request
   * unconditional.
   */
  ofResponse(response: ServerResponse<RequestWithContext>): RequestContext {
    const request = response.req;
    if (request[REQUEST_CONTEXT]) return request[REQUEST_CONTEXT];
    const traceIds = traceIdsOf(request.headers['traceparent']);
    const context = new RequestContext(response, this.settings.requestDeadlineMs, traceIds);
    request[REQUEST_CONTEXT] = context;
    ignoreConditions(request);
    for (const [name, value] of CONTRACT_HEADERS) response.setHeader(name, value);
    response.setHeader(REQUEST_ID_HEADER, context.id);
    const end = (): void => {
      context.end(response.writableFinished);
      void this.requestLog.record(context);
    };
    if (response.closed) {
      // In a host application, the client may have left before the first guard. The request is
      // recorded once the guard has stored the route.
      context.end(response.writableFinished);
      queueMicrotask(end);
    } else {
      response.once('close', end);
    }
    return context;
  }
}

/**
 * Removes the conditions of a request, to which Express and Fastify's file server would respond
 * with 304. Clients must not store responses, so a 304 would refer to a response that does not
 * exist.
 */
function ignoreConditions({ headers }: IncomingMessage): void {
  delete headers['if-none-match'];
  delete headers['if-modified-since'];
}
