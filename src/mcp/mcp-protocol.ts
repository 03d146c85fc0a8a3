import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { API_REVISION } from '../http/contract-headers.js';
import type { ProtocolResponse } from '../http/protocol-response.js';
import type { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import type { McpMessage } from './mcp-message.dto.js';
import { Tools } from './tools.js';

/** One POST, as the guards admitted it. */
export interface McpCall {
  readonly message: McpMessage;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Over the rate limit. */
  readonly refusal: AppError | undefined;
}

/** The headers that the protocol reads. Nothing else of the request reaches the library, no credential above all. */
const HEADERS = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** The library wants an absolute address and reads nothing from it. */
const ADDRESS = 'http://mcp.invalid/mcp';

/** What a model should know before its first call. */
const INSTRUCTIONS =
  'Reads a car buyer’s price requests to dealerships and the prices that came back. Money is in whole US cents. ' +
  '`isVerifiedPartner` false means that nothing is known, not that the dealership is no partner. Dealerships’ names, ' +
  'contacts, exact distances and the words of messages are never given: labels describe the car instead. ' +
  'To follow changes call list_price_requests with `since`, and pass the `asOf` of each result as the next `since`: ' +
  'at once while `more` is true, else after half a minute or more.';

interface Outcome {
  /** Becomes an HTTP error response. */
  failure?: Error;
}

/**
 * Runs the protocol's library, one server object for each POST. Both eras are served without a session:
 * 2026-07-28, and the revisions that begin with `initialize`.
 */
@Injectable()
export class McpProtocol implements OnModuleDestroy {
  /** The library hands its factory the request and nothing else of ours. */
  readonly #serving = new WeakMap<Request, { readonly call: McpCall; readonly outcome: Outcome }>();
  readonly #modern: McpHttpHandler = createMcpHandler(
    ({ requestInfo }) => this.#serverOf(requestInfo),
    // No subscription is ever accepted, so that no response is a stream.
    { legacy: 'reject', maxSubscriptions: 0, keepAliveMs: 0 },
  );

  constructor(private readonly tools: Tools) {}

  /** @throws what a tool throws that is no result of a tool: it becomes an HTTP error response. */
  async answer(call: McpCall): Promise<ProtocolResponse> {
    const request = new Request(ADDRESS, { method: 'POST', headers: headersOf(call.headers) });
    const outcome: Outcome = {};
    this.#serving.set(request, { call, outcome });
    const response = (await isLegacy(request, call.message))
      ? await this.#answerLegacy(request, call.message)
      : await this.#modern.fetch(request, { parsedBody: call.message });
    if (outcome.failure) throw outcome.failure;
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel();
      throw new Error('the MCP library responded with a stream');
    }
    return { status: response.status, body: await response.text() };
  }

  async onModuleDestroy(): Promise<void> {
    await this.#modern.close();
  }

  async #answerLegacy(request: Request, parsedBody: McpMessage): Promise<Response> {
    const server = this.#serverOf(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
      keepAliveMs: 0,
    });
    try {
      await server.connect(transport);
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  }

  // eslint-disable-next-line @typescript-eslint/no-deprecated -- McpServer's tools are the same for every caller, and it compiles each schema on every request
  #serverOf(request: Request | undefined): Server {
    const serving = request && this.#serving.get(request);
    if (!serving) throw new Error('a request without an admitted call');
    const { call, outcome } = serving;
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- as above
    const server = new Server(
      { name: 'deal-sets', title: 'Deal Sets', version: API_REVISION },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    const kept = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        // The protocol's own errors keep the protocol's form.
        if (!(error instanceof ProtocolError)) {
          outcome.failure = error instanceof Error ? error : new Error('thrown without an error');
        }
        throw error;
      }
    };
    server.setRequestHandler('tools/list', () => kept(this.tools.list(call)));
    server.setRequestHandler('tools/call', ({ params }) => kept(this.tools.call(params, call)));
    return server;
  }
}

const VERSION_CLAIM = 'io.modelcontextprotocol/protocolVersion';

/** A message that claims its version is never of the older era; only others are worth the library's look. */
async function isLegacy(request: Request, message: McpMessage): Promise<boolean> {
  const { params } = message as { params?: { _meta?: Record<string, unknown> } | null };
  if (typeof params?._meta?.[VERSION_CLAIM] === 'string') return false;
  return isLegacyRequest(request, message);
}

function headersOf(given: McpCall['headers']): Headers {
  // Every response is JSON, and no client that takes that is sent away for not taking a stream too.
  const headers = new Headers({ accept: 'application/json, text/event-stream' });
  for (const name of HEADERS) {
    const value = given[name];
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}
