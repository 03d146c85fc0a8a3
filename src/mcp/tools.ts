import { Injectable } from '@nestjs/common';
import type { CallToolRequest, ListToolsResult } from '@modelcontextprotocol/server';
import { DealSetsApi } from '../deal-sets/deal-sets.api.js';
import { ApiDescription } from '../openapi/api-description.js';
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

interface OfferedTool {
  readonly definition: ListToolsResult['tools'][number];
  readonly endpoint: 'list' | 'get';
  readonly run: (input: Input, call: McpCall) => Promise<string>;
}

/** The two tools. Rollout and scope of REST's endpoints decide which of them there are for a caller. */
@Injectable()
export class Tools {
  #made: readonly OfferedTool[] | undefined;

  constructor(
    private readonly dealSets: DealSetsApi,
    private readonly description: ApiDescription,
  ) {}

  /** Made at the first call: the API description is complete once the application is. */
  get #tools(): readonly OfferedTool[] {
    if (this.#made) return this.#made;
    const schemas = this.description.document.components?.schemas ?? {};
    this.#made = [
      {
        definition: listTool(schemas),
        endpoint: 'list',
        run: (input, call) => this.#list(input, call),
      },
      {
        definition: getTool(schemas),
        endpoint: 'get',
        run: (input, call) => this.#get(input, call),
      },
    ];
    return this.#made;
  }

  /** The tools that are on for the caller. */
  async list({ principal, signal }: McpCall): Promise<ListToolsResult> {
    const tools: ListToolsResult['tools'] = [];
    for (const { definition, endpoint } of this.#tools) {
      if (await this.dealSets.isOn(endpoint, principal, signal)) tools.push(definition);
    }
    return { tools };
  }

  /** @throws {AppError} for HTTP error responses: a failed authentication or deadline, and defects. */
  async call(
    { name, arguments: input = {} }: CallToolRequest['params'],
    call: McpCall,
  ): Promise<ToolResult> {
    const { principal, signal, refusal } = call;
    const tool = this.#tools.find(({ definition }) => definition.name === name);
    // To a caller for whom it is off, a tool does not exist.
    if (!tool || !(await this.dealSets.isOn(tool.endpoint, principal, signal))) {
      return unknownTool();
    }
    try {
      if (refusal) throw refusal;
      return ToolResult.of(await tool.run(input, call));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError && TOOL_ERRORS.includes(error.code))
        return ToolResult.ofError(error);
      throw error;
    }
  }

  async #list({ since }: Input, { principal, signal }: McpCall): Promise<string> {
    if (since !== undefined && typeof since !== 'string') {
      throw new AppError('invalid_request', { reason: 'since_malformed' });
    }
    return fitList(await this.dealSets.list(principal, { since }, signal, COUNTED));
  }

  async #get({ dealSetId, part, from }: Input, { principal, signal }: McpCall): Promise<string> {
    if (typeof dealSetId !== 'string' || !isPart(part) || !isIndex(from)) {
      throw new AppError('invalid_request');
    }
    const body = await this.dealSets.get(principal, dealSetId, signal, COUNTED);
    return fitDealSet(body, part, from);
  }
}

function isPart(value: unknown): value is Part | undefined {
  return value === undefined || PARTS.some((part) => part === value);
}

function isIndex(value: unknown): value is number | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0);
}
