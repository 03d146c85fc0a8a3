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
export type Form = 'same' | 'described' | 'null' | 'false' | 'unless-hosted';

/** The form of a field for each principal type. A further type must be decided here, form by form. */
export type Forms = ByPrincipalType<Form>;

export const SAME: Forms = { session: 'same', assistant: 'same' };
export const DESCRIBED: Forms = { session: 'same', assistant: 'described' };
export const WITHHELD: Forms = { session: 'same', assistant: 'null' };
export const NEVER_TRUE: Forms = { session: 'same', assistant: 'false' };
export const UNLESS_HOSTED: Forms = { session: 'same', assistant: 'unless-hosted' };

/** What a value looks like in a response. */
export type Value =
  | { readonly is: 'leaf'; readonly type: LeafType; readonly schema: JsonSchema }
  | { readonly is: 'nullable'; readonly of: Value }
  | { readonly is: 'list'; readonly of: Value }
  | { readonly is: 'object'; readonly shape: Shape }
  | { readonly is: 'one-of'; readonly discriminator: string; readonly shapes: readonly Shape[] };

export type LeafType = 'text' | 'boolean' | 'decimal' | 'integer';

/** One field of a response: its value, its meaning, and what each principal type gets of it. */
export interface Field {
  readonly value: Value;
  readonly description: string;
  readonly forms: Forms;
  readonly isOptional: boolean;
}

export type Fields = Readonly<Record<string, Field>>;

/** An object of a response as its DTO class declares it. */
export interface Shape {
  readonly name: string;
  readonly description: string;
  readonly fields: Fields;
}

/** The fields that a team adds to responses, by the shape that they are added to. */
export class AddedFields extends Map<Shape, Fields> {}

/** A field by its place: the shape's name and the field's, `Row.listedAtCents`. */
export type FieldPath = `${string}.${string}`;

export function fieldPath(shape: Shape, name: string): FieldPath {
  return `${shape.name}.${name}`;
}

/** The shapes a value holds directly. */
function shapesIn(value: Value): readonly Shape[] {
  switch (value.is) {
    case 'leaf':
      return [];
    case 'nullable':
    case 'list':
      return shapesIn(value.of);
    case 'object':
      return [value.shape];
    case 'one-of':
      return value.shapes;
  }
}

/** Every shape reachable from the given ones, themselves included, each once. */
export function reachableShapes(roots: readonly Shape[]): Shape[] {
  const found = new Set(roots);
  // A set is walked over what is added meanwhile, too.
  for (const shape of found) {
    for (const { value } of Object.values(shape.fields)) {
      for (const part of shapesIn(value)) found.add(part);
    }
  }
  return [...found];
}
