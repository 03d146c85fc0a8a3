import { SetMetadata, type Type } from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import type { ByPrincipalType } from '../kernel/principal.js';

/** The part of JSON Schema 2020-12 that the API description uses. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * How a principal sees a field.
 * - `same`: the value;
 * - `described`: a description in place of a name, which the handler puts into the result;
 * - `null`: null instead of the value;
 * - `false`: false instead of the value;
 * - `unless-hosted`: the value, left out for a hosted assistant.
 */
export type Visibility = 'same' | 'described' | 'null' | 'false' | 'unless-hosted';

/**
 * The visibility of a field for each principal type. When a type is added, fields that lack a
 * visibility for it do not compile.
 */
export type VisibilityByPrincipal = ByPrincipalType<Visibility>;

/** Everyone gets the value. */
export const SHOWN_TO_ALL: VisibilityByPrincipal = { session: 'same', assistant: 'same' };
/** An assistant gets a description in place of the name. */
export const DESCRIBED: VisibilityByPrincipal = { session: 'same', assistant: 'described' };
/** An assistant gets null. */
export const WITHHELD: VisibilityByPrincipal = { session: 'same', assistant: 'null' };
/** An assistant never gets true. */
export const NEVER_TRUE: VisibilityByPrincipal = { session: 'same', assistant: 'false' };
/** A hosted assistant does not get the field; other assistants get the value. */
export const UNLESS_HOSTED: VisibilityByPrincipal = { session: 'same', assistant: 'unless-hosted' };
const TO_NO_ONE: VisibilityByPrincipal = { session: 'null', assistant: 'null' };

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** A scalar type. Money is an `integer` of US cents, `time` an ISO 8601 text with a zone. */
export type ScalarType =
  'text' | 'uuid' | 'time' | 'boolean' | 'decimal' | 'integer' | 'count' | 'positive-count';

/** The scalar types with their schemas in the API description. */
export const SCALARS = {
  text: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  time: { type: 'string', format: 'date-time' },
  boolean: { type: 'boolean' },
  decimal: { type: 'number' },
  integer: { type: 'integer', minimum: -MAX_INTEGER, maximum: MAX_INTEGER },
  count: { type: 'integer', minimum: 0, maximum: MAX_INTEGER },
  'positive-count': { type: 'integer', minimum: 1, maximum: MAX_INTEGER },
} as const satisfies Readonly<Record<ScalarType, JsonSchema>>;

/** The type of a field, apart from its visibility. */
export interface FieldType {
  /**
   * A scalar type, or the class of an object. By default it follows from the property's own type:
   * `text`, `integer` or `boolean`. It must be declared when that type contains `null`.
   */
  readonly type?: ScalarType | (() => Type);
  /** The possible values. A single one is the discriminator value of the class in a `oneOf`. */
  readonly enum?: readonly string[];
  /** One of several classes; the property named `by` is the discriminator. */
  readonly oneOf?: { readonly by: string; readonly classes: () => readonly Type[] };
  readonly isList?: boolean;
  /** Whether the value can be null. */
  readonly isNullable?: boolean;
  readonly isOptional?: boolean;
}

/** A field of a response, with its description, its visibility and its type. */
export interface Field {
  readonly description: string;
  readonly visibility: VisibilityByPrincipal;
  readonly type: FieldType;
}

/** The fields of a class, by property name. */
export type Fields = Readonly<Record<string, Field>>;

/** The custom fields of a host application, by the class that they are added to. */
export class CustomFieldRegistry extends Map<Type, Fields> {}

/** A field by the names of its class and its property: `Row.listedAtCents`. */
export type FieldPath = `${string}.${string}`;

/** Returns the path of a field, as redaction rules name it. */
export function fieldPath(dto: Type, name: string): FieldPath {
  return `${dto.name}.${name}`;
}

const FIELDS = 'deal-sets:response-fields';

/** Records a field on the prototype of its class. Property decorators call it. */
export function addField(prototype: object, name: string, field: Field): void {
  const declared = (Reflect.getMetadata(FIELDS, prototype) ?? {}) as Fields;
  Reflect.defineMetadata(FIELDS, { ...declared, [name]: field }, prototype);
}

const DESCRIPTION = 'deal-sets:response-description';

/** Class decorator: records the description of a response DTO. `ResponseDto` applies it. */
export function declareDescription(description: string): ClassDecorator {
  return SetMetadata(DESCRIPTION, description);
}

/** Returns the description that `ResponseDto` declares; undefined for another class. */
export function descriptionOf(dto: Type): string | undefined {
  return Reflect.getMetadata(DESCRIPTION, dto) as string | undefined;
}

/**
 * Returns the fields of a response DTO as its decorators declare them, including inherited ones. A
 * field that class-transformer's `@Exclude` hides is null for everyone.
 *
 * @throws {Error} naming a property that `@Exclude` hides and that cannot be null.
 */
export function fieldsOf(dto: Type): Fields {
  const prototype = dto.prototype as object;
  const declared = Object.entries((Reflect.getMetadata(FIELDS, prototype) ?? {}) as Fields);
  const present = Object.fromEntries(declared.map(([name]) => [name, true]));
  const sent = instanceToPlain(Object.assign(Object.create(prototype) as object, present));
  const fields = declared.map(([name, field]): [string, Field] => {
    if (name in sent) return [name, field];
    if (field.type.isNullable) return [name, { ...field, visibility: TO_NO_ONE }];
    throw new Error(`${fieldPath(dto, name)}: a property that @Exclude hides must be nullable`);
  });
  return Object.fromEntries(fields);
}

/** Returns every class reachable from the given ones, including themselves, each once. */
export function reachableDtos(roots: readonly Type[]): Type[] {
  const found = new Set(roots);
  // The iteration over a set includes elements that are added during it.
  for (const dto of found) {
    for (const { type } of Object.values(fieldsOf(dto))) {
      for (const member of type.oneOf?.classes() ?? []) found.add(member);
      if (typeof type.type === 'function') found.add(type.type());
    }
  }
  return [...found];
}
