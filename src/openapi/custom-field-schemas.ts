import type { OpenAPIObject } from '@nestjs/swagger';
import type { CustomFieldRegistry } from '../redaction/field.js';
import { customPropertyOf } from '../redaction/field.decorators.js';
import { operationsOf, type Schema } from './document-operations.js';

/**
 * Adds the host application's custom fields, which are not properties of the DTO classes, to the
 * schemas and to the examples of responses.
 */
export function addCustomFields(document: OpenAPIObject, custom: CustomFieldRegistry): void {
  const schemas = document.components?.schemas ?? {};
  for (const [dto, fields] of custom) {
    const schema = schemas[dto.name];
    if (!schema || '$ref' in schema) continue;
    for (const [name, field] of Object.entries(fields)) {
      schema.properties = { ...schema.properties, [name]: customPropertyOf(field) as never };
      schema.required = [...(schema.required ?? []), name];
    }
  }
  const names = new Map([...custom].map(([dto, fields]) => [dto.name, Object.keys(fields)]));
  const examples = new CustomFieldExamples(schemas, names);
  for (const { responses = {} } of operationsOf(document.paths)) {
    for (const { content = {} } of Object.values(responses)) {
      for (const { schema = {}, examples: shown = {} } of Object.values(content)) {
        for (const { value } of Object.values(shown)) examples.complete(value, schema);
      }
    }
  }
}

/** Adds custom fields to examples. Their values are null, because no load function runs. */
class CustomFieldExamples {
  /** @param names the names of the custom fields, by the name of the schema. */
  constructor(
    private readonly schemas: Readonly<Record<string, Schema>>,
    private readonly names: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** Adds the custom fields to a value of the given schema and to the values nested in it. */
  complete(value: unknown, schema: Schema): void {
    if (Array.isArray(value)) {
      for (const element of value) this.complete(element, schema.items ?? {});
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const object = value as Record<string, unknown>;
    const name = referenceOf(schema, object)?.split('/').at(-1) ?? '';
    const { properties = {} } = this.schemas[name] ?? {};
    for (const [property, member] of Object.entries(object)) {
      this.complete(member, properties[property] ?? {});
    }
    for (const field of this.names.get(name) ?? []) object[field] ??= null;
  }
}

/** Returns the `$ref` of an object's schema. A discriminator selects one of several schemas. */
function referenceOf(
  { $ref, discriminator, allOf = [], anyOf = [], oneOf = [] }: Schema,
  object: Readonly<Record<string, unknown>>,
): string | undefined {
  if (discriminator) return discriminator.mapping?.[String(object[discriminator.propertyName])];
  return $ref ?? [...allOf, ...anyOf, ...oneOf].find((member) => member.$ref)?.$ref;
}
