import type { AnyShape, Form, Field, JsonSchema, Value } from '../response-shape/field.js';
import { reachableShapes } from '../response-shape/walk.js';
import { wordOf } from '../response-shape/walk.js';

const FOR_ASSISTANTS: Readonly<Record<Form, string>> = {
  same: '',
  described: '',
  null: ' Null for an assistant.',
  false: ' False for an assistant.',
  'unless-hosted': ' Left out for a hosted assistant.',
};

const reference = (shape: AnyShape): JsonSchema => ({ $ref: `#/components/schemas/${shape.name}` });

function valueSchema(value: Value): JsonSchema {
  switch (value.is) {
    case 'leaf':
      return value.schema;
    case 'list':
      return { type: 'array', items: valueSchema(value.of) };
    case 'object':
      return reference(value.shape);
    case 'one-of':
      return {
        type: 'object',
        oneOf: value.shapes.map(reference),
        discriminator: {
          propertyName: value.discriminator,
          mapping: Object.fromEntries(
            value.shapes.map((shape) => [
              wordOf(shape, value.discriminator),
              reference(shape)['$ref'],
            ]),
          ),
        },
      };
    case 'nullable': {
      const schema = valueSchema(value.of);
      if (value.of.is !== 'leaf') return { oneOf: [schema, { type: 'null' }] };
      const words = schema['enum'] as readonly unknown[] | undefined;
      return {
        ...schema,
        type: [schema['type'], 'null'],
        ...(words && { enum: [...words, null] }),
      };
    }
  }
}

function fieldSchema(field: Field): JsonSchema {
  return {
    ...valueSchema(field.value),
    description: field.description + FOR_ASSISTANTS[field.forms.assistant],
    // The form an assistant gets, for programs.
    'x-assistant': field.forms.assistant,
  };
}

function shapeSchema(shape: AnyShape): JsonSchema {
  const fields = Object.entries(shape.fields);
  return {
    type: 'object',
    description: shape.description,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)])),
    required: fields.filter(([, field]) => !field.isOptional).map(([name]) => name),
  };
}

/** The JSON Schemas (2020-12) of the given shapes and all shapes they contain, by name. */
export function shapeSchemas(roots: readonly AnyShape[]): Record<string, JsonSchema> {
  return Object.fromEntries(
    reachableShapes(roots).map((shape) => [shape.name, shapeSchema(shape)]),
  );
}
