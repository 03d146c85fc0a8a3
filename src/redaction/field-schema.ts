import type { Type } from '@nestjs/common';
import { SCALARS, type Field, type FieldType, type JsonSchema, type Visibility } from './field.js';

const FOR_ASSISTANTS: Readonly<Record<Visibility, string>> = {
  same: '',
  described: '',
  null: ' Null for an assistant.',
  false: ' False for an assistant.',
  'unless-hosted': ' Left out for a hosted assistant.',
};

/** Returns the description of a field, including its visibility for an assistant. */
export function fieldDescription({ description, visibility }: Field): string {
  return description + FOR_ASSISTANTS[visibility.assistant];
}

/** Returns the schema of one scalar value of a field. */
export function scalarSchema({ type, enum: words }: FieldType): JsonSchema {
  return {
    ...(typeof type === 'string' && SCALARS[type]),
    ...(words && { enum: words }),
  };
}

/**
 * Returns the schema of a field in plain JSON Schema 2020-12. Null is written as `anyOf`, because
 * some readers reject a list of types.
 *
 * @param referTo returns the schema that refers to a class.
 */
export function fieldSchema(field: Field, referTo: (dto: Type) => JsonSchema): JsonSchema {
  const { isList = false, isNullable = false } = field.type;
  const description = fieldDescription(field);
  const value = valueSchema(field.type, referTo);
  const schema = isList ? { type: 'array', items: value } : value;
  return isNullable
    ? { anyOf: [schema, { type: 'null' }], description }
    : { ...schema, description };
}

function valueSchema(field: FieldType, referTo: (dto: Type) => JsonSchema): JsonSchema {
  if (typeof field.type === 'function') return referTo(field.type());
  if (field.oneOf) return { oneOf: field.oneOf.classes().map(referTo) };
  return scalarSchema(field);
}
