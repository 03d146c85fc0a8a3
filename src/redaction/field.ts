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
