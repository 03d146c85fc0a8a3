import { Injectable } from '@nestjs/common';
import { McpServer, type CallToolResult } from '@modelcontextprotocol/server';
import { DealSetsApi } from '../deal-sets/deal-sets.api.js';
import { API_REVISION, envelopeOf, messageOf } from '../http/contract.js';
import { AppError, type ErrorCode } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { ApiDescription } from '../openapi/api-description.js';
import { fitDealSet } from './fit-result.js';
import { GET_TOOL, LIST_TOOL, outputsOf } from './tool-definitions.js';

/** What a model should know before its first call. */
const INSTRUCTIONS =
  'Reads a car buyer’s price requests to dealerships and the prices that came back. Money is in whole US cents. ' +
  '`isVerifiedPartner` false means that nothing is known, not that the dealership is no partner. Dealerships’ names, ' +
  'contacts, exact distances and the words of messages are never given: labels describe the car instead. ' +
  'To follow changes call list_price_requests with `since`, and pass the `asOf` of each result as the next `since`: ' +
  'at once while `more` is true, else after half a minute or more.';

/** Who calls, as the guards admitted the request. */
export interface McpCall {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Over the rate limit. */
  readonly refusal: AppError | undefined;
}

/** Each POST counts, for any method in its body. */
const COUNTED = { isCounted: true } as const;

/** Errors that are results of a tool: the model can do something about them. */
const TOOL_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'rate_limited',
  'unavailable',
];

/** The two tools. Rollout and scope of REST's endpoints decide which of them there are for a caller. */
@Injectable()
export class Tools {
  #outputs: ReturnType<typeof outputsOf> | undefined;

  constructor(
    private readonly dealSets: DealSetsApi,
    private readonly description: ApiDescription,
  ) {}

  /**
   * A server with the tools that are on for the caller.
   *
   * @param fail gets what a tool throws that is no result: a failed authentication or deadline, and defects.
   */
  async serverFor(call: McpCall, fail: (error: unknown) => void): Promise<McpServer> {
    const { principal, signal, refusal } = call;
    const server = new McpServer(
      { name: 'deal-sets', title: 'Deal Sets', version: API_REVISION },
      { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
    );
    // Made at the first call: the API description is complete once the application is.
    this.#outputs ??= outputsOf(this.description.document.components?.schemas ?? {});
    const outputs = this.#outputs;
    const resultOf = async (read: () => Promise<string>): Promise<CallToolResult> => {
      try {
        if (refusal) throw refusal;
        const json = await read();
        // Hosts show a model either the text or the structured content, so both hold all of it.
        return {
          content: [{ type: 'text', text: json }],
          structuredContent: JSON.parse(json) as Record<string, unknown>,
        };
      } catch (error) {
        if (!signal.aborted && error instanceof AppError && TOOL_ERRORS.includes(error.code)) {
          return errorResult(error);
        }
        fail(signal.aborted ? signal.reason : error);
        throw error;
      }
    };

    if (await this.dealSets.isOn('list', principal, signal)) {
      server.registerTool(
        'list_price_requests',
        { ...LIST_TOOL, outputSchema: outputs.list },
        ({ since }) =>
          resultOf(async () => {
            const listed = await this.dealSets.list(principal, { since }, signal, COUNTED);
            const { body, hasMore, asOf } = listed;
            return `${body.slice(0, -1)},"more":${hasMore},"asOf":${JSON.stringify(asOf)}}`;
          }),
      );
    }
    if (await this.dealSets.isOn('get', principal, signal)) {
      server.registerTool(
        'get_deal_set',
        { ...GET_TOOL, outputSchema: outputs.get },
        ({ dealSetId, part, from }) =>
          resultOf(async () => {
            const body = await this.dealSets.get(principal, dealSetId, signal, COUNTED);
            return fitDealSet(body, part, from);
          }),
      );
    }
    return server;
  }
}

/** The error envelope of REST, and how long to wait where that is known. */
function errorResult({ code, reason, retryAfterSeconds }: AppError): CallToolResult {
  const error = { ...envelopeOf(code, messageOf(code, reason)), retryAfterSeconds };
  return { content: [{ type: 'text', text: JSON.stringify(error) }], isError: true };
}
