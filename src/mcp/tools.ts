import { Injectable } from '@nestjs/common';
import { Ajv, type ValidateFunction } from 'ajv';
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type ListToolsResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { DealSetsApi } from '../deal-sets/deal-sets.api.js';
import { envelopeOf, messageOf } from '../http/contract.js';
import { AppError, type ErrorCode } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { ApiDescription } from '../openapi/api-description.js';
import { fitDealSet, type Part } from './fit-result.js';
import { getTool, listTool } from './tool-definitions.js';

/** Who calls, as the guards admitted the request. */
export interface McpCall {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Over the rate limit. */
  readonly refusal: AppError | undefined;
}

/** The arguments of both tools, as their schemas let them pass. */
interface Input {
  readonly since?: string;
  readonly dealSetId?: string;
  readonly part?: Part;
  readonly from?: number;
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

interface OfferedTool {
  readonly endpoint: 'list' | 'get';
  readonly definition: Tool;
  readonly validate: ValidateFunction<Input>;
}

/** The two tools. Rollout and scope of REST's endpoints decide which of them there are for a caller. */
@Injectable()
export class Tools {
  #made: readonly OfferedTool[] | undefined;
  /** Whether an id or a time is one is decided as in REST. */
  readonly #ajv = new Ajv({ validateFormats: false });

  constructor(
    private readonly dealSets: DealSetsApi,
    private readonly description: ApiDescription,
  ) {}

  /** Made at the first call: the API description is complete once the application is. */
  get #tools(): readonly OfferedTool[] {
    return (this.#made ??= (['list', 'get'] as const).map((endpoint) => {
      const schemas = this.description.document.components?.schemas ?? {};
      const definition = endpoint === 'list' ? listTool(schemas) : getTool(schemas);
      return { endpoint, definition, validate: this.#ajv.compile<Input>(definition.inputSchema) };
    }));
  }

  /** The tools that are on for the caller. */
  async list({ principal, signal }: McpCall): Promise<ListToolsResult> {
    const tools: Tool[] = [];
    for (const { definition, endpoint } of this.#tools) {
      if (await this.dealSets.isOn(endpoint, principal, signal)) tools.push(definition);
    }
    return { tools };
  }

  /** @throws {AppError} for HTTP error responses: a failed authentication or deadline, and defects. */
  async call(
    { name, arguments: input = {} }: CallToolRequest['params'],
    call: McpCall,
  ): Promise<CallToolResult> {
    const { principal, signal, refusal } = call;
    const tool = this.#tools.find(({ definition }) => definition.name === name);
    // To a caller for whom it is off, a tool does not exist.
    if (!tool || !(await this.dealSets.isOn(tool.endpoint, principal, signal))) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool');
    }
    try {
      if (refusal) throw refusal;
      if (!tool.validate(input)) {
        return errorResult(new AppError('invalid_request'), problemOf(tool.validate));
      }
      const json = await this.#read(tool.endpoint, input, call);
      // Hosts show a model either the text or the structured content, so both hold all of it.
      return {
        content: [{ type: 'text', text: json }],
        structuredContent: JSON.parse(json) as Record<string, unknown>,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) || !TOOL_ERRORS.includes(error.code)) throw error;
      return errorResult(error);
    }
  }

  async #read(
    endpoint: OfferedTool['endpoint'],
    { since, dealSetId = '', part, from }: Input,
    { principal, signal }: McpCall,
  ): Promise<string> {
    if (endpoint === 'get') {
      return fitDealSet(await this.dealSets.get(principal, dealSetId, signal, COUNTED), part, from);
    }
    const listed = await this.dealSets.list(principal, { since }, signal, COUNTED);
    const { body, hasMore, asOf } = listed;
    return `${body.slice(0, -1)},"more":${hasMore},"asOf":${JSON.stringify(asOf)}}`;
  }
}

/** The error envelope of REST, with what a model needs to do better. */
function errorResult(
  { code, reason, retryAfterSeconds }: AppError,
  problem?: string,
): CallToolResult {
  const error = { ...envelopeOf(code, messageOf(code, reason)), retryAfterSeconds, problem };
  return { content: [{ type: 'text', text: JSON.stringify(error) }], isError: true };
}

/** The first thing that is wrong, with the argument and what it may be. */
function problemOf({ errors, schema }: ValidateFunction<Input>): string | undefined {
  const error = errors?.[0];
  if (!error) return undefined;
  const { additionalProperty, allowedValues } = error.params as {
    readonly additionalProperty?: string;
    readonly allowedValues?: readonly string[];
  };
  if (additionalProperty !== undefined) {
    const known = Object.keys((schema as { readonly properties?: object }).properties ?? {});
    return `there is no argument ${additionalProperty}: expected ${known.join(', ')}`;
  }
  const named = allowedValues?.join(', ');
  const problem = `${error.instancePath.slice(1) || 'the input'} ${error.message}`;
  return named === undefined ? problem : `${problem}: ${named}`;
}
