import type { Type } from '@nestjs/common';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { DealSetResponse, ListResponse } from '../deal-sets/dto/responses.js';
import { descriptionOf, fieldsOf, type Fields, type JsonSchema } from '../redaction/field.js';
import { fieldSchema, nullable, type ClassSchemas } from '../redaction/field-schema.js';
import { PARTS } from './fit-result.js';

type OutputSchema = ReturnType<typeof fromJsonSchema>;

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const TIME: JsonSchema = { type: 'string', format: 'date-time' };

/** The output schemas of the tools. */
export interface OutputSchemas {
  /** The output schema of `list_price_requests`. */
  readonly list: OutputSchema;
  /** The output schema of `get_deal_set`. */
  readonly get: OutputSchema;
}

/**
 * Builds the output schemas of the tools from the classes of REST's responses, so that they are the
 * same in every application.
 *
 * @param customFields the fields that the host application adds to these classes.
 */
export function buildOutputSchemas(customFields: ReadonlyMap<Type, Fields>): OutputSchemas {
  return {
    list: outputSchema(ListResponse, customFields, ['asOf', 'more'], {
      asOf: {
        ...nullable(TIME),
        description: 'The time to pass as `since` on the next call; null without `since`.',
      },
      more: {
        type: 'boolean',
        description:
          'Whether requests were left out: active requests without `since`, changed requests with `since`.',
      },
    }),
    get: outputSchema(DealSetResponse, customFields, [], {
      omitted: {
        type: 'object',
        description:
          'How many rows and items of each part were left out; absent when there are none.',
        properties: Object.fromEntries(PARTS.map((name) => [name, COUNT])),
      },
      next: {
        type: 'object',
        description: 'The input for the next call; absent when nothing follows.',
        properties: { part: { type: 'string', enum: PARTS }, from: COUNT },
      },
    }),
  };
}

/**
 * Returns the schema of a response with further properties. Under `$defs`, it contains the schema
 * of every class that it refers to.
 */
function outputSchema(
  response: Type,
  customFields: ReadonlyMap<Type, Fields>,
  required: readonly string[],
  properties: Readonly<Record<string, JsonSchema>>,
): OutputSchema {
  const $defs: Record<string, JsonSchema> = {};
  const classes: ClassSchemas = {
    describe: (dto) => {
      const description = descriptionOf(dto);
      const fields = { ...fieldsOf(dto), ...customFields.get(dto) };
      return { ...objectSchema(fields, classes), ...(description && { description }) };
    },
    referTo: (dto) => {
      if (!Object.hasOwn($defs, dto.name)) {
        // The class is registered before its schema is built, so that the recursion ends for a
        // class that refers to itself.
        $defs[dto.name] = {};
        $defs[dto.name] = classes.describe(dto);
      }
      return { $ref: `#/$defs/${dto.name}` };
    },
  };
  const own = objectSchema(fieldsOf(response), classes);
  const schema = {
    ...own,
    properties: { ...own.properties, ...properties },
    required: [...own.required, ...required],
    $defs,
  };
  // The result is not validated again: as in REST, redaction has already checked it.
  return fromJsonSchema(schema, {
    getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
  });
}

interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

function objectSchema(fields: Fields, classes: ClassSchemas): ObjectSchema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, field]) => [name, fieldSchema(field, classes)]),
    ),
    required: entries.filter(([, { type }]) => !type.isOptional).map(([name]) => name),
  };
}
