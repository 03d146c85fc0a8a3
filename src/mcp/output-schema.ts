import type { JsonSchema } from '../redaction/field.js';

const PREFIX = '#/components/schemas/';

/**
 * The JSON Schema of a tool's output, from the schemas of the API description: with every schema that it refers to
 * under `$defs`. Null is written as `anyOf`: some hosts refuse a list of types.
 */
export class OutputSchema {
  readonly definitions: Record<string, JsonSchema> = {};

  /** @param schemas of the API description, by name. */
  constructor(private readonly schemas: Readonly<Record<string, unknown>>) {}

  /** The schema of `data` in a response. */
  dataOf(response: string): JsonSchema {
    const { properties } = this.schemas[response] as {
      readonly properties: Readonly<Record<string, JsonSchema>>;
    };
    return this.#moved(properties['data']) as JsonSchema;
  }

  #moved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#moved(item));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, discriminator: _, type, ...rest } = value as Readonly<Record<string, unknown>>;
    if (typeof $ref === 'string') return { $ref: this.#define($ref.slice(PREFIX.length)) };
    const members = Object.entries(rest)
      .filter(([name]) => !name.startsWith('x-'))
      .map(([name, member]) => [name, this.#moved(member)] as const);
    const schema = Object.fromEntries(members);
    if (!Array.isArray(type)) return { ...(type !== undefined && { type }), ...schema };
    const { description, enum: words, ...plain } = schema;
    const [plainType] = type as string[];
    const known = Array.isArray(words) ? { enum: words.filter((word) => word !== null) } : {};
    return {
      anyOf: [{ type: plainType, ...plain, ...known }, { type: 'null' }],
      ...(description !== undefined && { description }),
    };
  }

  /** @returns the reference to a schema, which is copied when it is first referred to. */
  #define(name: string): string {
    if (!Object.hasOwn(this.definitions, name)) {
      // Entered before it is made, in case it holds itself.
      this.definitions[name] = {};
      this.definitions[name] = this.#moved(this.schemas[name]) as JsonSchema;
    }
    return `#/$defs/${name}`;
  }
}
