import { Injectable } from '@nestjs/common';
import type { CallToolRequest, ListToolsResult } from '@modelcontextprotocol/server';
import { DealSetsApi } from '../deal-sets/deal-sets.api.js';
import { AppError, type ErrorCode } from '../kernel/app-error.js';
import { fitDealSet, PARTS, type Part } from './fit-deal-set.js';
import { fitList } from './fit-list.js';
import type { McpCall } from './mcp-protocol.js';
import { ToolResult, unknownTool } from './tool-results.js';
import { getTool, listTool } from './tool-definitions.js';

type Input = Readonly<Record<string, unknown>>;

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
  readonly #tools;

  constructor(private readonly dealSets: DealSetsApi) {
    this.#tools = [
      {
        definition: listTool(dealSets.responseShape('list')),
        endpoint: 'list' as const,
        run: (input: Input, call: McpCall) => this.#list(input, call),
      },
      {
        definition: getTool(dealSets.responseShape('get')),
        endpoint: 'get' as const,
        run: (input: Input, call: McpCall) => this.#get(input, call),
      },
    ];
  }

  /** The tools that are on for the caller. */
  async list({ principal, deadline }: McpCall): Promise<ListToolsResult> {
    const tools: ListToolsResult['tools'] = [];
    for (const { definition, endpoint } of this.#tools) {
      if (await this.dealSets.isOn(endpoint, principal, deadline)) tools.push(definition);
    }
    return { tools };
  }

  /** @throws {AppError} for HTTP error responses: a failed authentication or deadline, and defects. */
  async call(
    { name, arguments: input = {} }: CallToolRequest['params'],
    call: McpCall,
  ): Promise<ToolResult> {
    const { principal, deadline, refusal } = call;
    const tool = this.#tools.find(({ definition }) => definition.name === name);
    // To a caller for whom it is off, a tool does not exist.
    if (!tool || !(await this.dealSets.isOn(tool.endpoint, principal, deadline))) {
      return unknownTool();
    }
    try {
      if (refusal) throw refusal;
      return ToolResult.of(await tool.run(input, call));
    } catch (error) {
      deadline.throwIfOver();
      if (error instanceof AppError && TOOL_ERRORS.includes(error.code))
        return ToolResult.ofError(error);
      throw error;
    }
  }

  async #list({ since }: Input, { principal, deadline }: McpCall): Promise<string> {
    if (since !== undefined && typeof since !== 'string') {
      throw new AppError('invalid_request', { reason: 'since_malformed' });
    }
    return fitList(await this.dealSets.list(principal, { since }, deadline, COUNTED));
  }

  async #get({ dealSetId, part, from }: Input, { principal, deadline }: McpCall): Promise<string> {
    if (typeof dealSetId !== 'string' || !isPart(part) || !isIndex(from)) {
      throw new AppError('invalid_request');
    }
    const body = await this.dealSets.get(principal, dealSetId, deadline, COUNTED);
    return fitDealSet(body, part, from);
  }
}

function isPart(value: unknown): value is Part | undefined {
  return value === undefined || PARTS.some((part) => part === value);
}

function isIndex(value: unknown): value is number | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0);
}
