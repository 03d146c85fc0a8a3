import type { Type } from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import type { ByPrincipalType } from '../kernel/principal.js';

/** The part of JSON Schema 2020-12 that the API description uses. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What a principal gets of a field.
 * - `same`: the value;
 * - `described`: a description in place of a name, which the handler puts into the result;
 * - `null`: never the value;
 * - `false`: never true;
 * - `unless-hosted`: the value, left out for a hosted assistant.
 */
export type Visibility = 'same' | 'described' | 'null' | 'false' | 'unless-hosted';

/** The form of a field for each principal type. A further type must be decided here, form by form. */
export type VisibilityByPrincipal = ByPrincipalType<Visibility>;

export const SHOWN_TO_ALL: VisibilityByPrincipal = { session: 'same', assistant: 'same' };
export const DESCRIBED: VisibilityByPrincipal = { session: 'same', assistant: 'described' };
export const WITHHELD: VisibilityByPrincipal = { session: 'same', assistant: 'null' };
export const NEVER_TRUE: VisibilityByPrincipal = { session: 'same', assistant: 'false' };
export const UNLESS_HOSTED: VisibilityByPrincipal = { session: 'same', assistant: 'unless-hosted' };
const TO_NO_ONE: VisibilityByPrincipal = { session: 'null', assistant: 'null' };

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** As the API description has them. */
export const SCALARS = {
  text: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  time: { type: 'string', format: 'date-time' },
  boolean: { type: 'boolean' },
  decimal: { type: 'number' },
  integer: { type: 'integer', minimum: -MAX_INTEGER, maximum: MAX_INTEGER },
  count: { type: 'integer', minimum: 0, maximum: MAX_INTEGER },
  'positive-count': { type: 'integer', minimum: 1, maximum: MAX_INTEGER },
} as const satisfies Record<string, JsonSchema>;

/** A plain value. Money is an `integer` of US cents, `time` an ISO 8601 text with a zone. */
export type ScalarType = keyof typeof SCALARS;

/** What a field holds, besides its form for each type of principal. */
export interface FieldType {
  /**
   * The value, or the class of an object. Default: `text`, `integer` or `boolean`, as the property's own type says;
   * a type with `null` in it has to be named.
   */
  readonly type?: ScalarType | (() => Type);
  /** The words that the value may have; one word alone is the discriminator of the class in a `oneOf`. */
  readonly enum?: readonly string[];
  /** One of several classes; the property named `by` is the discriminator. */
  readonly oneOf?: { readonly by: string; readonly classes: () => readonly Type[] };
  readonly isList?: boolean;
  /** The value, or null when there is none to show. */
  readonly isNullable?: boolean;
  readonly isOptional?: boolean;
}

/** One field of a response: its meaning, what each principal type gets of it, and its value; the type is named. */
export interface Field {
  readonly description: string;
  readonly visibility: VisibilityByPrincipal;
  readonly type: FieldType;
}

export type Fields = Readonly<Record<string, Field>>;

/** The fields that a team adds to responses, by the class that they are added to. */
export class CustomFieldRegistry extends Map<Type, Fields> {}

/** A field by its place: the name of the class and its own, `Row.listedAtCents`. */
export type FieldPath = `${string}.${string}`;

export function fieldPath(dto: Type, name: string): FieldPath {
  return `${dto.name}.${name}`;
}

const FIELDS = 'deal-sets:response-fields';

export function addField(prototype: object, name: string, field: Field): void {
  const declared = (Reflect.getMetadata(FIELDS, prototype) ?? {}) as Fields;
  Reflect.defineMetadata(FIELDS, { ...declared, [name]: field }, prototype);
}

/**
 * The fields of a response DTO as its decorators declare them, those of its base included. What class-transformer's
 * `@Exclude` hides is null for everyone.
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

/** Every class reachable from the given ones, themselves included, each once. */
export function reachableDtos(roots: readonly Type[]): Type[] {
  const found = new Set(roots);
  // A set is walked over what is added meanwhile, too.
  for (const dto of found) {
    for (const { type } of Object.values(fieldsOf(dto))) {
      for (const member of type.oneOf?.classes() ?? []) found.add(member);
      if (typeof type.type === 'function') found.add(type.type());
    }
  }
  return [...found];
}
