import type { Type } from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import type { Field, Forms, JsonSchema, Shape, Value } from './field.js';

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

export const LEAVES = {
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

/** The type of a property by what the compiler left of it. */
export const OWN_TYPES: ReadonlyMap<unknown, LeafName> = new Map<unknown, LeafName>([
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

function fill(dto: Type, fields: Record<string, Field>): void {
  const declared = (Reflect.getMetadata(FIELDS, dto.prototype as object) ?? {}) as Record<
    string,
    Declared
  >;
  const excluded = excludedOf(dto, Object.keys(declared));
  for (const [name, { description: text, forms, type }] of Object.entries(declared)) {
    const where = `${dto.name}.${name}`;
    const own = Reflect.getMetadata('design:type', dto.prototype as object, name) as unknown;
    const field: Field = {
      value: valueOf(type, where, own),
      description: text,
      forms: excluded.has(name) ? everyone('null') : forms,
      isOptional: type.isOptional ?? false,
    };
    if (excluded.has(name) && field.value.is !== 'nullable') {
      throw new Error(`${where}: a property that @Exclude hides must be nullable`);
    }
    fields[name] = field;
  }
}

/** @param own the property's type as the compiler left it: of a union, nothing is known. */
export function valueOf(type: FieldType, where: string, own?: unknown): Value {
  const plain = plainOf(type, where, own);
  const listed: Value = type.isList ? { is: 'list', of: plain } : plain;
  return type.isNullable ? { is: 'nullable', of: listed } : listed;
}

function plainOf({ type, words, oneOf, isList }: FieldType, where: string, own: unknown): Value {
  if (oneOf) {
    const of = oneOf.of().map(shapeOf);
    return { is: 'one-of', discriminator: oneOf.by, shapes: of };
  }
  if (typeof type === 'function') return { is: 'object', shape: shapeOf(type()) };
  const ownName = OWN_TYPES.get(own);
  const name = words ? 'text' : (type ?? ownName);
  if (name === undefined) throw new Error(`${where}: name its type in the declaration`);
  const schema: JsonSchema = LEAVES[name];
  const isOwn = ownName === undefined || LEAVES[ownName].type === schema['type'];
  const isNumber = ownName === 'integer' && ['integer', 'number'].includes(String(schema['type']));
  if (!isList && !isOwn && !isNumber) {
    throw new Error(`${where}: declared as ${name}, and its type is ${ownName}`);
  }
  return { is: 'leaf', type: leafTypeOf(schema), schema: { ...schema, ...wordsOf(words) } };
}

function leafTypeOf({ type }: JsonSchema): 'text' | 'boolean' | 'decimal' | 'integer' {
  if (type === 'string') return 'text';
  if (type === 'boolean') return 'boolean';
  return type === 'integer' ? 'integer' : 'decimal';
}

function wordsOf(words: readonly string[] | undefined): JsonSchema {
  if (!words) return {};
  return words.length === 1 ? { const: words[0] } : { enum: words };
}

function everyone(form: 'null'): Forms {
  return { session: form, assistant: form };
}

/** The properties that class-transformer's `@Exclude` hides. */
function excludedOf(dto: Type, names: readonly string[]): ReadonlySet<string> {
  const marked = Object.assign(
    Object.create(dto.prototype as object) as object,
    Object.fromEntries(names.map((name) => [name, true])),
  );
  const kept = Object.keys(instanceToPlain(marked));
  return new Set(names.filter((name) => !kept.includes(name)));
}
