import type { Type } from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import type { Field, Forms, JsonSchema, LeafType, Shape, Value } from './field.js';

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

const LEAVES = {
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
export type LeafName = keyof typeof LEAVES;

export const LEAF_NAMES: readonly string[] = Object.keys(LEAVES);

const LEAF_TYPES: Readonly<Record<(typeof LEAVES)[LeafName]['type'], LeafType>> = {
  string: 'text',
  boolean: 'boolean',
  number: 'decimal',
  integer: 'integer',
};

/** What a field holds, besides its form for each type of principal. */
export interface FieldType {
  /**
   * The value, or the class of an object. Default: `text`, `integer` or `boolean`, as the property's own type says;
   * a type with `null` in it has to be named.
   */
  readonly type?: LeafName | (() => Type);
  /** The words that the value may have; one word alone is the discriminator of the class in a `oneOf`. */
  readonly words?: readonly string[];
  /** One of several classes; the property named `by` is the discriminator. */
  readonly oneOf?: { readonly by: string; readonly of: () => readonly Type[] };
  /** A list of such values. */
  readonly isList?: boolean;
  /** The value, or null when there is none to show. */
  readonly isNullable?: boolean;
  /** The field may be absent. */
  readonly isOptional?: boolean;
}

/** What a decorator says of a property. */
export interface Declared {
  readonly description: string;
  readonly forms: Forms;
  readonly type: FieldType;
}

/** Keys of the metadata. */
export const FIELDS = 'deal-sets:response-fields';
export const DESCRIPTION = 'deal-sets:response-description';

/** What the decorators say of the properties of a class, those of its base included. */
export function declaredOf(prototype: object): Readonly<Record<string, Declared>> {
  return (Reflect.getMetadata(FIELDS, prototype) ?? {}) as Record<string, Declared>;
}

/** The type of a property by what the compiler left of it: of a union, nothing is known. */
const OWN_TYPES: ReadonlyMap<unknown, LeafName> = new Map<unknown, LeafName>([
  [String, 'text'],
  [Number, 'integer'],
  [Boolean, 'boolean'],
]);

const shapes = new WeakMap<Type, Shape>();

/**
 * A response DTO as its decorators declare it.
 *
 * @throws {Error} naming a property whose declaration contradicts its type, or that `@Exclude` hides and cannot be
 *   null.
 */
export function shapeOf(dto: Type): Shape {
  const known = shapes.get(dto);
  if (known) return known;
  const fields: Record<string, Field> = {};
  const description = (Reflect.getMetadata(DESCRIPTION, dto) ?? '') as string;
  const shape: Shape = { name: dto.name, description, fields };
  // Entered before it is filled, in case it holds itself.
  shapes.set(dto, shape);
  try {
    fill(dto, fields);
  } catch (error) {
    // Else the next call would get it half filled.
    shapes.delete(dto);
    throw error;
  }
  return shape;
}

const TO_NO_ONE: Forms = { session: 'null', assistant: 'null' };

function fill(dto: Type, fields: Record<string, Field>): void {
  const prototype = dto.prototype as object;
  const declared = declaredOf(prototype);
  const isSent = isSentOf(prototype, Object.keys(declared));
  for (const [name, { description, forms, type }] of Object.entries(declared)) {
    const where = `${dto.name}.${name}`;
    const value = valueOf(type, where, Reflect.getMetadata('design:type', prototype, name));
    if (!isSent(name) && value.is !== 'nullable') {
      throw new Error(`${where}: a property that @Exclude hides must be nullable`);
    }
    fields[name] = {
      value,
      description,
      forms: isSent(name) ? forms : TO_NO_ONE,
      isOptional: type.isOptional ?? false,
    };
  }
}

/** Which properties class-transformer's `@Exclude` leaves. */
function isSentOf(prototype: object, names: readonly string[]): (name: string) => boolean {
  const instance = Object.create(prototype) as object;
  const plain = instanceToPlain(
    Object.assign(instance, Object.fromEntries(names.map((name) => [name, true]))),
  );
  return (name) => Object.hasOwn(plain, name);
}

/** @param own the property's type as the compiler left it. */
export function valueOf(type: FieldType, where: string, own?: unknown): Value {
  const plain = plainOf(type, where, own);
  const listed: Value = type.isList ? { is: 'list', of: plain } : plain;
  return type.isNullable ? { is: 'nullable', of: listed } : listed;
}

function plainOf(type: FieldType, where: string, own: unknown): Value {
  const { oneOf } = type;
  if (oneOf) return { is: 'one-of', discriminator: oneOf.by, shapes: oneOf.of().map(shapeOf) };
  if (typeof type.type === 'function') return { is: 'object', shape: shapeOf(type.type()) };
  const name = leafNameOf(type, own);
  if (name === undefined) throw new Error(`${where}: name its type in the declaration`);
  const leafType = LEAF_TYPES[LEAVES[name].type];
  const ownName = OWN_TYPES.get(own);
  const isOwn = leafType === ownName || (ownName === 'integer' && leafType === 'decimal');
  if (ownName !== undefined && !isOwn && !type.isList) {
    throw new Error(`${where}: declared as ${name}, and its type is ${ownName}`);
  }
  const { words } = type;
  const ofWords = words?.length === 1 ? { const: words[0] } : words && { enum: words };
  return { is: 'leaf', type: leafType, schema: { ...LEAVES[name], ...ofWords } };
}

function leafNameOf({ type, words }: FieldType, own: unknown): LeafName | undefined {
  return words ? 'text' : typeof type === 'string' ? type : OWN_TYPES.get(own);
}

/** A plain value in the API description; empty where its type is not known. */
export function leafSchemaOf(type: FieldType, own: unknown): JsonSchema {
  const name = leafNameOf(type, own);
  return { ...(name && LEAVES[name]), ...(type.words && { enum: type.words }) };
}
