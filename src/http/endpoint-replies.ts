import type { ServerResponse } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { errorFields } from '../observability/error-fields.js';
import type { ResponseSerializer } from '../response-shape/response-serializer.js';
import { JSON_CONTENT_TYPE } from './error-envelope.js';
import { codeOfStatus } from './error-catalogue.js';
import { sendProtocolResponse, type ProtocolResponse } from './protocol-response.js';
import type { RequestContext } from './request-context.js';
import { sendError } from './send-error.js';

type Serializer = Pick<ResponseSerializer, 'write'>;

/**
 * The adapter's end of every request: the result of an endpoint is serialized here, by its declared shape for
 * the type of the principal. It is the framework's last call, after all interceptors and filters, and out of
 * reach of any provider: a module can add interceptors, but not undo redaction or the envelope.
 *
 * A result that does not fit the shape sends nothing (500). Public handlers send their own bytes and type; the
 * response of an endpoint with a protocol of its own holds what `DealSetsApi` serialized, and is sent as it is.
 */
export class EndpointReplies extends FastifyAdapter {
  #find: (() => Serializer) | undefined;
  #serializer: Serializer | undefined;

  /** @param find finds the serializer at the first response; until it is set an endpoint responds with 500. */
  serializeWith(find: () => Serializer): void {
    this.#find = find;
  }

  override reply(
    response: FastifyReply | ServerResponse,
    body: unknown,
    status?: number,
  ): FastifyReply {
    const raw = 'raw' in response ? response.raw : response;
    const { context } = raw.req;
    if (!context.policy || !('raw' in response)) {
      return super.reply(response, body, status);
    }
    // The response went out at the deadline, or an exception filter of a team sends an error.
    if (raw.headersSent || raw.writableEnded) return response;
    if (status !== undefined && status >= 400) return refuse(response, status);
    if (context.policy.protocol) {
      sendProtocolResponse(raw, body as ProtocolResponse);
      response.hijack();
      return response;
    }
    const json = this.#serialize(context, body);
    if (json === undefined) return refuse(response, 500);
    context.body = json;
    if (status !== undefined) void response.status(status);
    for (const name in context.responseHeaders) {
      void response.header(name, context.responseHeaders[name]);
    }
    return response.header('content-type', JSON_CONTENT_TYPE).send(json);
  }

  #serialize(context: RequestContext, result: unknown): string | undefined {
    try {
      const { policy, principal } = context;
      this.#serializer ??= this.#find?.();
      if (!policy || !principal || !this.#serializer) throw new Error('nothing serializes');
      return this.#serializer.write(policy.response, result, principal);
    } catch (error) {
      context.failure = errorFields(error);
      return undefined;
    }
  }
}

/**
 * Stops what a module sends on its own as the response of an endpoint (`reply.send` in a filter or an
 * interceptor): the error envelope of its status goes out instead.
 */
export function holdEndpointReplies(adapter: FastifyAdapter): void {
  adapter.getInstance().addHook('onSend', (request, reply, payload, done) => {
    const { context } = request.raw;
    if (!context.policy) {
      done();
      return;
    }
    if (payload === context.body && payload !== undefined && reply.statusCode < 400) {
      context.isOwnResponse = true;
      done();
      return;
    }
    if (payload !== null && typeof payload === 'object' && 'destroy' in payload) {
      (payload as { destroy(): void }).destroy();
    }
    // The hook's end is never called: the response is written here.
    refuse(reply, reply.statusCode);
  });
}

function refuse(reply: FastifyReply, status: number): FastifyReply {
  const { context } = reply.raw.req;
  const code = status < 400 ? undefined : codeOfStatus(status);
  if (code === undefined) {
    context.failure ??= { error: 'ResponsePastSerializer' };
    sendError(reply.raw, 'internal');
  } else {
    sendError(reply.raw, code, { status });
  }
  return reply;
}
