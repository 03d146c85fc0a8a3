import { Injectable } from '@nestjs/common';
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { API_REVISION } from '../http/contract.js';
import type { ProtocolResponse } from '../http/endpoint-policy.js';
import { Tools, type McpCall } from './tools.js';

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

/**
 * Runs the protocol's library, one server object for each POST. Both eras are served without a session:
 * 2026-07-28, and the revisions that begin with `initialize`.
 */
@Injectable()
export class McpProtocol {
  constructor(private readonly tools: Tools) {}

  /**
   * @param message the body of a POST, as the guards admitted it.
   * @throws what a tool throws that is no result of a tool: it becomes an HTTP error response.
   */
  async answer(
    message: unknown,
    given: Readonly<Record<string, string | undefined>>,
    call: McpCall,
  ): Promise<ProtocolResponse> {
    // Every response is JSON, and no client that takes that is sent away for not taking a stream too.
    const headers = new Headers({ accept: 'application/json, text/event-stream' });
    for (const name of HEADERS) if (given[name] !== undefined) headers.set(name, given[name]);
    const request = new Request(ADDRESS, { method: 'POST', headers });
    const failures: Error[] = [];
    const server = this.#serverOf(call, failures);
    const response = (await isLegacyRequest(request, message))
      ? await answerLegacy(server, request, message)
      : await createMcpHandler(() => server, {
          legacy: 'reject',
          // No response is a stream: the tools send no messages, and no subscription is ever accepted.
          maxSubscriptions: 0,
        }).fetch(request, { parsedBody: message });
    const [failure] = failures;
    if (failure) throw failure;
    return { status: response.status, body: await response.text() };
  }

  /** @param failures gets what a tool throws; errors of the protocol keep the protocol's form. */
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- McpServer's tools are the same for every caller, and it compiles each schema on every request
  #serverOf(call: McpCall, failures: Error[]): Server {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- as above
    const server = new Server(
      { name: 'deal-sets', title: 'Deal Sets', version: API_REVISION },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    const keep = (error: unknown): never => {
      if (!(error instanceof ProtocolError)) failures.push(error as Error);
      throw error;
    };
    server.setRequestHandler('tools/list', () => this.tools.list(call).catch(keep));
    server.setRequestHandler('tools/call', ({ params }) =>
      this.tools.call(params, call).catch(keep),
    );
    return server;
  }
}

/** The library's own fallback for the older era responds with a stream. */
async function answerLegacy(
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- as above
  server: Server,
  request: Request,
  parsedBody: unknown,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
