import { Injectable } from '@nestjs/common';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { ProtocolResponse } from '../http/endpoint-policy.js';
import { Tools, type McpCall } from './tools.js';

/** The headers that the protocol reads. Nothing else of the request reaches the library, no credential above all. */
const HEADERS = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** The library wants an absolute address and reads nothing from it. */
const ADDRESS = 'http://mcp.invalid/mcp';

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
    const failures: unknown[] = [];
    const server = await this.tools.serverFor(call, (error) => failures.push(error));
    const options = { parsedBody: message };
    let response: Response;
    if (await isLegacyRequest(request, message)) {
      // The library's own fallback for the older era responds with a stream.
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      response = await transport.handleRequest(request, options).finally(() => server.close());
    } else {
      // No response is a stream: the tools send no messages, and no subscription is ever accepted.
      const handler = createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0 });
      response = await handler.fetch(request, options);
    }
    if (failures.length > 0) throw failures[0];
    return { status: response.status, body: await response.text() };
  }
}
