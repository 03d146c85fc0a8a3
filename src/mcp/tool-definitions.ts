import type { Tool } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../redaction/field.js';
import { PARTS } from './fit-deal-set.js';
import { OutputSchema } from './output-schema.js';

/** Both tools read, have no effect, and reach nothing but the buyer's own requests. */
const annotationsOf = (title: string): Tool['annotations'] => ({
  title,
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
});

type Schemas = Readonly<Record<string, unknown>>;

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

const TIME: JsonSchema = { type: 'string', format: 'date-time' };

function outputOf(
  output: OutputSchema,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): Tool['outputSchema'] {
  return {
    type: 'object',
    properties,
    required: [...required],
    $defs: output.definitions,
  };
}

function object(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', description, properties };
}

function listOutput(schemas: Schemas): Tool['outputSchema'] {
  const output = new OutputSchema(schemas);
  return outputOf(
    output,
    {
      data: output.dataOf('ListResponse'),
      more: {
        type: 'boolean',
        description:
          'Whether something was left out: of the active requests, or with `since` of the changed ones.',
      },
      asOf: {
        anyOf: [TIME, { type: 'null' }],
        description: 'The time to pass as `since` on the next call; null without `since`.',
      },
      omitted: object('Only when the result would be too large: how much it leaves out.', {
        entries: COUNT,
      }),
      next: object('Only with `omitted`: the input that reads what is left out.', { since: TIME }),
    },
    ['data', 'more', 'asOf'],
  );
}

function dealSetOutput(schemas: Schemas): Tool['outputSchema'] {
  const output = new OutputSchema(schemas);
  return outputOf(
    output,
    {
      data: output.dataOf('DealSetResponse'),
      omitted: object(
        'Rows and items of each part that the result leaves out; absent when there are none.',
        {
          needs_you: COUNT,
          ranked: COUNT,
          everyone_else: COUNT,
        },
      ),
      next: object('The input that reads on; absent when nothing follows.', {
        part: { type: 'string', enum: PARTS },
        from: COUNT,
      }),
    },
    ['data'],
  );
}

const LIST_TITLE = 'List price requests';
const GET_TITLE = 'Read a deal set';

/** @param schemas of the API description. */
export const listTool = (schemas: Schemas): Tool => ({
  name: 'list_price_requests',
  title: LIST_TITLE,
  description:
    'Lists the buyer’s requests to car dealerships with the lowest price that each has in writing. Without `since`: the active requests. With `since`: the requests that changed after that time, ended ones included, oldest change first.',
  annotations: annotationsOf(LIST_TITLE),
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
  outputSchema: listOutput(schemas),
});

/** @param schemas of the API description. */
export const getTool = (schemas: Schemas): Tool => ({
  name: 'get_deal_set',
  title: GET_TITLE,
  description:
    'Reads one of the buyer’s deal sets: what dealerships answered, ranked by out-the-door price in US cents, and the rows that are not ranked. A large deal set comes in several results: `omitted` counts what is left out, `next` is the input that reads on.',
  annotations: annotationsOf(GET_TITLE),
  inputSchema: {
    type: 'object',
    properties: {
      dealSetId: {
        type: 'string',
        format: 'uuid',
        description: 'A `dealSetId` of the list.',
      },
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
  outputSchema: dealSetOutput(schemas),
});
