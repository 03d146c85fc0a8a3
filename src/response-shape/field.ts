import type { PackedUuids } from '../kernel/packed-uuids.js';
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
type Forms = ByPrincipalType<Form>;

const SAME: Forms = { session: 'same', assistant: 'same' };
const DESCRIBED: Forms = { session: 'same', assistant: 'described' };
const WITHHELD: Forms = { session: 'same', assistant: 'null' };
const NEVER_TRUE: Forms = { session: 'same', assistant: 'false' };
const UNLESS_HOSTED: Forms = { session: 'same', assistant: 'unless-hosted' };

/** What a value looks like on the wire. `T` is its type in TypeScript; it exists for the compiler alone. */
export type Value<T = unknown> = (
  | { readonly is: 'leaf'; readonly type: LeafType; readonly schema: JsonSchema }
  | { readonly is: 'nullable'; readonly of: Value }
  | { readonly is: 'list'; readonly of: Value }
  | { readonly is: 'object'; readonly shape: AnyShape }
  | { readonly is: 'one-of'; readonly discriminator: string; readonly shapes: readonly AnyShape[] }
) & { readonly [TYPE]?: T };

/** How a plain value is written. `word` holds nothing that JSON would escape, `uuids` are packed. */
export type LeafType = 'text' | 'word' | 'uuids' | 'boolean' | 'number' | 'integer';

declare const TYPE: unique symbol;

/** One field of a response: its value, its meaning, and what each principal type gets of it. */
export interface Field<T = unknown, Optional extends boolean = boolean> {
  readonly value: Value<T>;
  readonly description: string;
  readonly forms: Forms;
  readonly isOptional: Optional;
}

export type Fields = Readonly<Record<string, Field>>;

/** An object of a response, declared field by field. Types, API description and redaction derive from it. */
export interface Shape<F extends Fields> {
  readonly name: string;
  readonly description: string;
  readonly fields: F;
}

export type AnyShape = Shape<Fields>;

type ValueOf<F> = F extends Field<infer T> ? T : never;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, true> ? K : never;
}[keyof F];

/** The TypeScript type of a shape. */
export type WireOf<S> =
  S extends Shape<infer F>
    ? { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K]> } & {
        readonly [K in OptionalKeys<F>]?: ValueOf<F[K]>;
      }
    : never;

export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

const leaf = <T>(type: LeafType, schema: JsonSchema): Value<T> => ({ is: 'leaf', type, schema });

export const text = leaf<string>('text', { type: 'string' });
export const uuid = leaf<string>('word', { type: 'string', format: 'uuid' });
export const time = leaf<string>('word', { type: 'string', format: 'date-time' });
/** A list of UUIDs, held as one text (`packUuids`): a list of hundreds would be made only to be put together again. */
export const uuidList = leaf<PackedUuids>('uuids', { type: 'array', items: { type: 'string' } });
export const boolean = leaf<boolean>('boolean', { type: 'boolean' });
export const decimal = leaf<number>('number', { type: 'number' });
export const integer = leaf<number>('integer', {
  type: 'integer',
  minimum: -MAX_INTEGER,
  maximum: MAX_INTEGER,
});
export const count = leaf<number>('integer', { type: 'integer', minimum: 0, maximum: MAX_INTEGER });
export const positiveCount = leaf<number>('integer', {
  type: 'integer',
  minimum: 1,
  maximum: MAX_INTEGER,
});
/** US cents. */
export const cents = integer;

export function oneWord<const Words extends readonly string[]>(
  ...words: Words
): Value<Words[number]> {
  return leaf('word', {
    type: 'string',
    ...(words.length === 1 ? { const: words[0] } : { enum: words }),
  });
}

/** The value, or null when there is none to show. */
export function nullable<T>(value: Value<T>): Value<T | null> {
  return { is: 'nullable', of: value };
}

export function listOf<T>(value: Value<T>): Value<readonly T[]> {
  return { is: 'list', of: value };
}

export function objectOf<S extends AnyShape>(shape: S): Value<WireOf<S>> {
  return { is: 'object', shape };
}

/** One of several objects, distinguished by the value of a field they share. */
export function oneOf<const Shapes extends readonly AnyShape[]>(
  discriminator: string,
  shapes: Shapes,
): Value<WireOf<Shapes[number]>> {
  return { is: 'one-of', discriminator, shapes };
}

/** A field whose value is the same for every principal. */
export function shown<T>(value: Value<T>, description: string): Field<T, false> {
  return { value, description, forms: SAME, isOptional: false };
}

/**
 * A label: a name for the buyer where she may read it, always a description for an assistant.
 *
 * @param forAssistant what an assistant gets, for the API description.
 */
export function described<T>(
  value: Value<T>,
  description: string,
  forAssistant: string,
): Field<T, false> {
  return {
    value,
    description: `${description} ${forAssistant}`,
    forms: DESCRIBED,
    isOptional: false,
  };
}

/** A field of the buyer's own session; null for an assistant. */
export function withheld<T>(value: Value<T>, description: string): Field<T | null, false> {
  return { value: nullable(value), description, forms: WITHHELD, isOptional: false };
}

/** A field that is never true for an assistant, and may be left out. */
export function neverTrueForAssistants(description: string): Field<boolean, true> {
  return { value: boolean, description, forms: NEVER_TRUE, isOptional: true };
}

/** A field that may be absent from a response. */
export function optional<T>(value: Value<T>, description: string): Field<T, true> {
  return { value, description, forms: SAME, isOptional: true };
}

/** A field that hosted assistants do not get at all. */
export function unlessHosted<T>(value: Value<T>, description: string): Field<T, true> {
  return { value, description, forms: UNLESS_HOSTED, isOptional: true };
}

export function shape<const F extends Fields>(
  name: string,
  description: string,
  fields: F,
): Shape<F> {
  return { name, description, fields };
}
