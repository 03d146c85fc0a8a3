import { fromJsonSchema } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { JsonSchema } from '../redaction/field.js';
import { PARTS } from './fit-result.js';

type Schemas = Readonly<Record<string, unknown>>;
type OutputSchema = ReturnType<typeof fromJsonSchema>;

const REFERENCE = '#/components/schemas/';
const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const TIME: JsonSchema = { type: 'string', format: 'date-time' };

/** What a model should know before its first call. */
export const INSTRUCTIONS =
  'Reads a car buyer’s price requests to dealerships and the prices that came back. Money is in whole US cents. ' +
  '`isVerifiedPartner` false means that nothing is known, not that the dealership is no partner. Dealerships’ names, ' +
  'contacts, exact distances and the words of messages are never given: labels describe the car instead. ' +
  'To follow changes call list_price_requests with `since`, and pass the `asOf` of each result as the next `since`: ' +
  'at once while `more` is true, else after half a minute or more.';

/** Both tools only read the buyer's own requests. */
const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The tool that lists the buyer's requests, as `GET /api/v1/deal-sets` does. */
export const LIST_TOOL = {
  title: 'List price requests',
  annotations: READS,
  description:
    'Lists the buyer’s requests to car dealerships with the lowest price that each has in writing. Without `since`: the active requests. With `since`: the requests that changed after that time, ended ones included, oldest change first.',
  inputSchema: z.strictObject({
    // REST's rules decide whether a time or an id is valid.
    since: z
      .string()
      .meta({ ...TIME, description: 'An ISO 8601 time with a zone, such as 2026-10-14T16:00:00Z.' })
      .optional(),
  }),
};

/** The tool that reads one deal set, as `GET /api/v1/deal-sets/{id}` does. */
export const GET_TOOL = {
  title: 'Read a deal set',
  annotations: READS,
  description:
    'Reads one of the buyer’s deal sets: what dealerships answered, ranked by out-the-door price in US cents, and the rows that are not ranked. A large deal set comes in several results: `omitted` counts what is left out, `next` is the input that reads on.',
  inputSchema: z.strictObject({
    dealSetId: z.string().meta({ format: 'uuid', description: 'A `dealSetId` of the list.' }),
    part: z.enum(PARTS).describe('Only the rows or items of this part. Default: all.').optional(),
    from: z
      .int()
      .min(0)
      .describe(
        'From this row or item of the part on, counted from 0; without `part` of the first, `needs_you`.',
      )
      .optional(),
  }),
};

/** The output schemas of the tools. */
export interface ToolOutputs {
  /** Of `list_price_requests`. */
  readonly list: OutputSchema;
  /** Of `get_deal_set`. */
  readonly get: OutputSchema;
}

/** Builds the output schemas of the tools from the schemas of the API description. */
export function outputsOf(schemas: Schemas): ToolOutputs {
  return {
    list: outputOf(schemas, 'ListResponse', ['asOf', 'more'], {
      asOf: {
        anyOf: [TIME, { type: 'null' }],
        description: 'The time to pass as `since` on the next call; null without `since`.',
      },
      more: {
        type: 'boolean',
        description:
          'Whether something was left out: of the active requests, or with `since` of the changed ones.',
      },
    }),
    get: outputOf(schemas, 'DealSetResponse', [], {
      omitted: {
        type: 'object',
        description:
          'Rows and items of each part that the result leaves out; absent when there are none.',
        properties: Object.fromEntries(PARTS.map((name) => [name, COUNT])),
      },
      next: {
        type: 'object',
        description: 'The input that reads on; absent when nothing follows.',
        properties: { part: { type: 'string', enum: PARTS }, from: COUNT },
      },
    }),
  };
}

/**
 * Returns `data` of a response of the API description with further properties, and every schema
 * that it refers to under `$defs`. Null is written as `anyOf`, because some hosts reject a list of
 * types.
 */
function outputOf(
  schemas: Schemas,
  response: string,
  required: readonly string[],
  properties: Readonly<Record<string, JsonSchema>>,
): OutputSchema {
  const $defs: Record<string, JsonSchema> = {};
  const moved = (schema: unknown): JsonSchema =>
    JSON.parse(JSON.stringify(schema), (name, value: unknown): unknown => {
      if (name === 'discriminator' || name.startsWith('x-')) return undefined;
      if (name === '$ref') return define(String(value).slice(REFERENCE.length));
      const { type } = (value ?? {}) as { readonly type?: unknown };
      if (!Array.isArray(type)) return value;
      return { anyOf: [{ ...(value as object), type: type[0] as unknown }, { type: 'null' }] };
    }) as JsonSchema;
  const define = (name: string): string => {
    // Registered before its schema is built, so that recursive schemas terminate.
    if (!Object.hasOwn($defs, name)) {
      $defs[name] = {};
      $defs[name] = moved(schemas[name]);
    }
    return `#/$defs/${name}`;
  };
  const { data } = (schemas[response] as { readonly properties: Schemas }).properties;
  const all = { data: moved(data), ...properties };
  const schema = { type: 'object', properties: all, required: ['data', ...required], $defs };
  // Not validated again: what redaction let through is sent, as in REST.
  return fromJsonSchema(schema, {
    getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
  });
}
