import type { AnyShape, Field, Form, JsonSchema, Value } from '../response-shape/field.js';

/** What a field holds for an assistant, in words: all callers here are assistants. */
const FOR_ASSISTANTS: Readonly<Record<Form, string>> = {
  same: '',
  described: ' Text from a listing, never a dealership’s name.',
  null: ' Always null here.',
  false: ' Never true here.',
  'unless-hosted': ' Left out for a hosted assistant.',
};

/**
 * The JSON Schema of a shape for a tool's output, with every shape it contains under `$defs`. Null is
 * written as `anyOf`: some hosts refuse a list of types.
 */
export class OutputSchema {
  readonly definitions: Record<string, JsonSchema> = {};

  /** A reference to the shape's definition. */
  referenceTo(shape: AnyShape): JsonSchema {
    if (!Object.hasOwn(this.definitions, shape.name)) {
      // Entered before it is made, in case it holds itself.
      this.definitions[shape.name] = {};
      this.definitions[shape.name] = this.#define(shape);
    }
    return { $ref: `#/$defs/${shape.name}` };
  }

  /** A property of the result. */
  property(field: Field): JsonSchema {
    return {
      ...this.#ofValue(field.value),
      description: field.description + FOR_ASSISTANTS[field.forms.assistant],
    };
  }

  #define(shape: AnyShape): JsonSchema {
    const fields = Object.entries(shape.fields);
    return {
      type: 'object',
      description: shape.description,
      properties: Object.fromEntries(fields.map(([name, field]) => [name, this.property(field)])),
      required: fields.filter(([, field]) => !field.isOptional).map(([name]) => name),
    };
  }

  #ofValue(value: Value): JsonSchema {
    switch (value.is) {
      case 'leaf':
        return value.schema;
      case 'list':
        return { type: 'array', items: this.#ofValue(value.of) };
      case 'object':
        return this.referenceTo(value.shape);
      case 'one-of':
        return { anyOf: value.shapes.map((shape) => this.referenceTo(shape)) };
      case 'nullable':
        return { anyOf: [this.#ofValue(value.of), { type: 'null' }] };
    }
  }
}
