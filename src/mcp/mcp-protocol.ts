import { Injectable } from '@nestjs/common';
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type McpHttpHandler,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { Settings } from '../config/settings.js';
import { DealSetsApi } from '../deal-sets/deal-sets.api.js';
import { AppError } from '../kernel/app-error.js';
import type { ErrorCode } from '../kernel/error-catalogue.js';
import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
import { CustomFieldRegistry } from '../redaction/field.js';
import { APPS_EXTENSION, registerView, VIEW_META } from './mcp-app.js';
import type { RequestNotes } from '../http/context/request-notes.js';
import type { UncheckedMessage } from './mcp-message.guard.js';
import type { McpHttpResponse } from './mcp-response.interceptor.js';
import { fitDealSet, fitsResult, toolResult, type ToolResult } from './fit-result.js';
import { buildOutputSchemas } from './output-schemas.js';
import { GET_TOOL, INSTRUCTIONS, LIST_TOOL, TOOL_NAMES } from './tool-definitions.js';
import { serverInfo } from './server-info.js';
import { toolError } from './tool-error.js';
import { normalizedMessage } from './tool-input.js';

/**
 * The headers that the protocol reads. The library receives these headers and the body, but no
 * other part of the request and no credential.
 */
const HEADERS = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
/** The library requires an absolute address, but reads nothing from it. */
const ADDRESS = 'http://mcp.invalid/mcp';

/** The guards have verified the caller; the library neither gets nor needs a credential. */
const NO_CREDENTIAL = { token: '', clientId: '', scopes: [] };

/** An admitted POST. */
export interface McpCall {
  readonly principal: Principal;
  /** The request's deadline. */
  readonly deadline: Deadline;
  /** Receives the error of the tool's result. */
  readonly notes: Pick<RequestNotes, 'noteToolError'>;
}

/**
 * The number of entries of a page of the feed. It is lower than REST's, because MCP hosts truncate
 * long results, and higher than the number of active requests in a list, so that an ordinary poll
 * is one page.
 */
const TOOL_PAGE = 50;

/**
 * How long a client may cache the service's description, the lists of tools and resources, and the
 * contents of a resource. The cache is private, because rollout is decided per caller.
 */
const PRIVATE_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** Errors that are returned as results of a tool, because the model can react to them. */
const TOOL_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'rate_limited',
  'unavailable',
];

/** What the server declares to a caller who has no deal sets to read. */
const LIST_ONLY: ServerOptions = {
  capabilities: { tools: { listChanged: false } },
  instructions: INSTRUCTIONS,
  cacheHints: {
    'tools/list': PRIVATE_CACHE,
    'server/discover': PRIVATE_CACHE,
    'resources/list': PRIVATE_CACHE,
    'resources/read': PRIVATE_CACHE,
  },
};

/** What the server declares to a caller who may read deal sets, which a document shows. */
const WITH_VIEW: ServerOptions = {
  ...LIST_ONLY,
  capabilities: {
    ...LIST_ONLY.capabilities,
    resources: { listChanged: false },
    extensions: { [APPS_EXTENSION]: {} },
  },
};

/**
 * Runs the protocol's library with one server object for each POST, as the library requires. What
 * does not depend on the call is made once: the descriptions of the tools, and the handler of the
 * newer era. Both protocol eras are served without a session: 2026-07-28, and the revisions that
 * begin with `initialize`.
 */
@Injectable()
export class McpProtocol {
  readonly #serverInfo;
  readonly #listTool;
  readonly #getTool;
  /**
   * The handler of revision 2026-07-28. No response is a stream, because the tools send no messages
   * and subscriptions are not accepted.
   */
  readonly #handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) => authInfo?.extra?.['server'] as McpServer,
    { legacy: 'reject', maxSubscriptions: 0 },
  );

  constructor(
    private readonly dealSets: DealSetsApi,
    customFields: CustomFieldRegistry,
    settings: Settings,
  ) {
    this.#serverInfo = serverInfo(settings.publicUrl);
    const outputSchemas = buildOutputSchemas(customFields);
    this.#listTool = { ...LIST_TOOL, outputSchema: outputSchemas.list };
    this.#getTool = { ...GET_TOOL, outputSchema: outputSchemas.get, _meta: VIEW_META };
  }

  /**
   * Processes the message of a POST and returns the HTTP response.
   *
   * @param body the message of a POST, after the guards have admitted it.
   * @throws the error of a tool or a resource if it is not returned as a tool result. It becomes an
   *   HTTP error response.
   */
  async answer(
    body: UncheckedMessage,
    requestHeaders: Readonly<Record<string, string | undefined>>,
    call: McpCall,
  ): Promise<McpHttpResponse> {
    // The library requires the client to accept both JSON and a stream. Every response is JSON, so
    // the service sets this header itself and does not require it of the client.
    const headers = new Headers({ accept: 'application/json, text/event-stream' });
    for (const name of HEADERS)
      if (requestHeaders[name] !== undefined) headers.set(name, requestHeaders[name]);
    const request = new Request(ADDRESS, { method: 'POST', headers });
    const failures: unknown[] = [];
    const server = await this.#serverOf(call, failures);
    const message = normalizedMessage(body);
    let response: Response;
    if (await isLegacyRequest(request, message)) {
      // The library's own fallback for the older era responds with a stream.
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      response = await transport
        .handleRequest(request, { parsedBody: message })
        .finally(() => server.close());
    } else {
      // The library hands this on to the function that gives it the server of the call.
      const authInfo = { ...NO_CREDENTIAL, extra: { server } };
      response = await this.#handler.fetch(request, { parsedBody: message, authInfo });
    }
    if (failures.length > 0) throw failures[0];
    return { status: response.status, body: await response.text() };
  }

  /**
   * Creates a server with the tools that the caller may use according to the rollout and the scopes
   * of REST's endpoints.
   *
   * @param failures receives the errors that are not returned as tool results: failed
   *   authentication, the deadline, and defects.
   */
  async #serverOf(call: McpCall, failures: unknown[]): Promise<McpServer> {
    const { principal, deadline, notes } = call;
    const { signal } = deadline;
    const [hasList, hasGet] = await Promise.all(
      (['list', 'get'] as const).map((name) => this.dealSets.isOn(name, principal, deadline)),
    );
    const server = new McpServer(this.#serverInfo, hasGet ? WITH_VIEW : LIST_ONLY);
    const resultOf = async (read: () => Promise<ToolResult>): Promise<CallToolResult> => {
      try {
        const { value, text } = await read();
        notes.noteToolError(undefined);
        // MCP hosts show a model either the text or the structured content, so both contain the
        // whole result.
        return { content: [{ type: 'text', text }], structuredContent: value };
      } catch (error) {
        if (!signal.aborted && error instanceof AppError && TOOL_ERRORS.includes(error.code)) {
          notes.noteToolError(error);
          return toolError(error);
        }
        failures.push(signal.aborted ? signal.reason : error);
        throw error;
      }
    };

    if (hasList) {
      server.registerTool(TOOL_NAMES.list, this.#listTool, ({ since }) =>
        resultOf(() => this.#list(call, since)),
      );
    }
    if (hasGet) {
      server.registerTool(TOOL_NAMES.get, this.#getTool, ({ dealSetId, part, from }) =>
        resultOf(async () =>
          fitDealSet(await this.dealSets.get(principal, dealSetId, deadline), part, from),
        ),
      );
      registerView(server, (error) => failures.push(error));
    }
    return server;
  }

  /**
   * Lists the buyer's requests. A page of the feed that does not fit into a result is read again
   * with half as many entries, so that the client continues at an earlier time and skips nothing.
   * Entries with the same stamp are never separated.
   */
  async #list({ principal, deadline }: McpCall, since?: string): Promise<ToolResult> {
    for (let pageSize = TOOL_PAGE; ; pageSize = Math.floor(pageSize / 2)) {
      const input = { since, pageSize };
      // However often it reads, a call of the tool counts once.
      const isUncounted = pageSize < TOOL_PAGE;
      const listed = await this.dealSets.list(principal, input, deadline, { isUncounted });
      const { response, hasMore, asOf } = listed;
      // The first two members come first, so that the model can continue even if the MCP host cuts
      // off the result.
      const result = toolResult({ asOf, more: hasMore, ...response });
      if (since === undefined || pageSize === 1 || fitsResult(result)) return result;
    }
  }
}
