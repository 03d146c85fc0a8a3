import { Injectable } from '@nestjs/common';
import { Ajv, type ValidateFunction } from 'ajv';
import type {
  CallToolRequest,
  CallToolResult,
  ListToolsResult,
} from '@modelcontextprotocol/server';
import { DealSetsApi } from '../deal-sets/deal-sets.api.js';
import { ApiDescription } from '../openapi/api-description.js';
import { AppError, type ErrorCode } from '../kernel/app-error.js';
import { fitDealSet, type Part } from './fit-deal-set.js';
import { fitList } from './fit-list.js';
import type { McpCall } from './mcp-protocol.js';
import { errorResult, resultOf, unknownTool } from './tool-results.js';
import { getTool, listTool } from './tool-definitions.js';

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
  readonly definition: ListToolsResult['tools'][number];
  readonly validate: ValidateFunction<Input>;
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
    // Whether an id or a time is one is decided as in REST.
    const ajv = new Ajv({ validateFormats: false });
    const offer = (
      definition: OfferedTool['definition'],
      endpoint: OfferedTool['endpoint'],
      run: OfferedTool['run'],
    ): OfferedTool => ({
      definition,
      endpoint,
      run,
      validate: ajv.compile<Input>(definition.inputSchema),
    });
    this.#made = [
      offer(listTool(schemas), 'list', async ({ since }, { principal, signal }) =>
        fitList(await this.dealSets.list(principal, { since }, signal, COUNTED)),
      ),
      offer(getTool(schemas), 'get', async (input, { principal, signal }) => {
        const { dealSetId = '', part, from } = input;
        return fitDealSet(
          await this.dealSets.get(principal, dealSetId, signal, COUNTED),
          part,
          from,
        );
      }),
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
  ): Promise<CallToolResult> {
    const { principal, signal, refusal } = call;
    const tool = this.#tools.find(({ definition }) => definition.name === name);
    // To a caller for whom it is off, a tool does not exist.
    if (!tool || !(await this.dealSets.isOn(tool.endpoint, principal, signal))) {
      return unknownTool();
    }
    try {
      if (refusal) throw refusal;
      if (!tool.validate(input)) {
        return errorResult(new AppError('invalid_request'), problemOf(tool.validate));
      }
      return resultOf(await tool.run(input, call));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) || !TOOL_ERRORS.includes(error.code)) throw error;
      return errorResult(error);
    }
  }
}

/** The first thing that is wrong, in words that name the argument and what it may be. */
function problemOf({ errors, schema }: ValidateFunction<Input>): string | undefined {
  const error = errors?.[0];
  if (!error) return undefined;
  const { additionalProperty, allowedValues } = error.params as {
    readonly additionalProperty?: string;
    readonly allowedValues?: readonly string[];
  };
  if (additionalProperty !== undefined) {
    const { properties } = schema as { readonly properties: object };
    return `there is no argument ${additionalProperty}; the arguments are ${Object.keys(properties).join(', ')}`;
  }
  const allowed = allowedValues ? `: ${allowedValues.join(', ')}` : '';
  return `${error.instancePath.slice(1) || 'the input'} ${error.message ?? 'is wrong'}${allowed}`;
}
