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

/** How the schema of a field describes a class. */
export interface ClassSchemas {
  /** Returns the schema that refers to a class. */
  readonly referTo: (dto: Type) => JsonSchema;
  /** Returns the schema of the objects of a class. */
  readonly describe: (dto: Type) => JsonSchema;
}

/**
 * Returns the schema of a field in plain JSON Schema 2020-12. Null is in a list of types, as in the
 * API description, because some clients of MCP do not accept `anyOf`.
 */
export function fieldSchema(field: Field, classes: ClassSchemas): JsonSchema {
  const { isList = false, isNullable = false, type } = field.type;
  const description = fieldDescription(field);
  const isObject = typeof type === 'function' && !isList;
  const value =
    isNullable && isObject ? classes.describe(type()) : valueSchema(field.type, classes);
  const schema = isList ? { type: 'array', items: value } : value;
  return { ...(isNullable ? nullable(schema) : schema), description };
}

function valueSchema({ type, oneOf, ...field }: FieldType, { referTo }: ClassSchemas): JsonSchema {
  if (typeof type === 'function') return referTo(type());
  if (oneOf) return { oneOf: oneOf.classes().map(referTo) };
  return scalarSchema({ ...field, ...(type && { type }) });
}

/** Adds null to a schema that has a type. */
export function nullable({ type, enum: words, ...schema }: JsonSchema): JsonSchema {
  return {
    type: [type, 'null'],
    ...schema,
    ...(Array.isArray(words) && { enum: [...(words as unknown[]), null] }),
  };
}
