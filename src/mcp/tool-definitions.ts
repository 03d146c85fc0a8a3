import type { Tool } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../redaction/field.js';
import { PARTS } from './fit-result.js';

/** Schemas of the API description, by name. */
type Schemas = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, JsonSchema>>;

const REFERENCE = '#/components/schemas/';
const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const TIME: JsonSchema = { type: 'string', format: 'date-time' };

/** Both tools read, have no effect, and reach nothing but the buyer's own requests. */
function reading(title: string): Pick<Tool, 'title' | 'annotations'> {
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  return { title, annotations: { title, ...hints, openWorldHint: false } };
}

function object(description: string, properties: Properties): JsonSchema {
  return { type: 'object', description, properties };
}

/**
 * The JSON Schema of a tool's output: `data` of a response of the API description, with every schema that it refers
 * to under `$defs`, and further properties. Null is written as `anyOf`: some hosts refuse a list of types.
 */
function outputOf(
  schemas: Schemas,
  response: string,
  properties: Properties,
  required: readonly string[] = [],
): Tool['outputSchema'] {
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
    // Entered before it is made, in case it holds itself.
    if (!Object.hasOwn($defs, name)) {
      $defs[name] = {};
      $defs[name] = moved(schemas[name]);
    }
    return `#/$defs/${name}`;
  };
  const { data } = (schemas[response] as { readonly properties: Schemas }).properties;
  return {
    type: 'object',
    properties: { data: moved(data), ...properties },
    required: ['data', ...required],
    $defs,
  };
}

export const listTool = (schemas: Schemas): Tool => ({
  name: 'list_price_requests',
  ...reading('List price requests'),
  description:
    'Lists the buyer’s requests to car dealerships with the lowest price that each has in writing. Without `since`: the active requests. With `since`: the requests that changed after that time, ended ones included, oldest change first.',
  inputSchema: {
    type: 'object',
    properties: {
      since: {
        ...TIME,
        description: 'An ISO 8601 time with a zone, such as 2026-10-14T16:00:00Z.',
      },
    },
    additionalProperties: false,
  },
  outputSchema: outputOf(
    schemas,
    'ListResponse',
    {
      more: {
        type: 'boolean',
        description:
          'Whether something was left out: of the active requests, or with `since` of the changed ones.',
      },
      asOf: {
        anyOf: [TIME, { type: 'null' }],
        description: 'The time to pass as `since` on the next call; null without `since`.',
      },
    },
    ['more', 'asOf'],
  ),
});

export const getTool = (schemas: Schemas): Tool => ({
  name: 'get_deal_set',
  ...reading('Read a deal set'),
  description:
    'Reads one of the buyer’s deal sets: what dealerships answered, ranked by out-the-door price in US cents, and the rows that are not ranked. A large deal set comes in several results: `omitted` counts what is left out, `next` is the input that reads on.',
  inputSchema: {
    type: 'object',
    properties: {
      dealSetId: { type: 'string', format: 'uuid', description: 'A `dealSetId` of the list.' },
      part: {
        type: 'string',
        enum: [...PARTS],
        description: 'Only the rows or items of this part. Default: all.',
      },
      from: {
        ...COUNT,
        description:
          'From this row or item of the part on, counted from 0; without `part` of the first, `needs_you`.',
      },
    },
    required: ['dealSetId'],
    additionalProperties: false,
  },
  outputSchema: outputOf(schemas, 'DealSetResponse', {
    omitted: object(
      'Rows and items of each part that the result leaves out; absent when there are none.',
      Object.fromEntries(PARTS.map((part) => [part, COUNT])),
    ),
    next: object('The input that reads on; absent when nothing follows.', {
      part: { type: 'string', enum: PARTS },
      from: COUNT,
    }),
  }),
});
