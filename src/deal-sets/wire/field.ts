/** The part of JSON Schema 2020-12 that the API description is made of. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What an assistant gets of a field. The buyer's own session gets every field as it is.
 * - `same`: the same value;
 * - `described`: a description of the car where the buyer may read the dealership's name;
 * - `null`: never the value;
 * - `false`: never true;
 * - `unless-hosted`: the same value, left out for a hosted assistant.
 */
export type AssistantForm = 'same' | 'described' | 'null' | 'false' | 'unless-hosted';

/** What a value looks like on the wire. `T` is its type in TypeScript; it exists for the compiler alone. */
export interface Value<T> {
  readonly schema: JsonSchema;
  /** The shapes of the objects inside, when there are any. */
  readonly inner: readonly AnyShape[];
  readonly type?: T;
}

/** One field of an answer: its value, its meaning, and who may see it. */
export interface Field<T = unknown, Optional extends boolean = boolean> {
  readonly value: Value<T>;
  readonly description: string;
  readonly assistant: AssistantForm;
  readonly isOptional: Optional;
}

export type Fields = Readonly<Record<string, Field>>;

/** An object of the wire, declared field by field. Types, API description and redaction come from it. */
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

const leaf = <T>(schema: JsonSchema): Value<T> => ({ schema, inner: [] });

export const text = leaf<string>({ type: 'string' });
export const uuid = leaf<string>({ type: 'string', format: 'uuid' });
export const time = leaf<string>({ type: 'string', format: 'date-time' });
export const boolean = leaf<boolean>({ type: 'boolean' });
export const decimal = leaf<number>({ type: 'number' });
export const integer = leaf<number>({
  type: 'integer',
  minimum: -MAX_INTEGER,
  maximum: MAX_INTEGER,
});
export const count = leaf<number>({ type: 'integer', minimum: 0, maximum: MAX_INTEGER });
/** US cents. */
export const cents = integer;

export function oneWord<const Words extends readonly string[]>(
  ...words: Words
): Value<Words[number]> {
  return leaf({ type: 'string', ...(words.length === 1 ? { const: words[0] } : { enum: words }) });
}

/** The value, or null when there is none to show. */
export function nullable<T>(value: Value<T>): Value<T | null> {
  const { type, ...rest } = value.schema;
  const schema =
    typeof type === 'string'
      ? {
          ...rest,
          type: [type, 'null'],
          ...(Array.isArray(rest['enum']) && { enum: [...(rest['enum'] as unknown[]), null] }),
        }
      : { oneOf: [value.schema, { type: 'null' }] };
  return { schema, inner: value.inner };
}

export function listOf<T>(value: Value<T>): Value<readonly T[]> {
  return { schema: { type: 'array', items: value.schema }, inner: value.inner };
}

export function objectOf<S extends AnyShape>(shape: S): Value<WireOf<S>> {
  return { schema: { $ref: `#/components/schemas/${shape.name}` }, inner: [shape] };
}

/** One of several objects, told apart by the word in a field they share. */
export function oneOf<const Shapes extends readonly AnyShape[]>(
  discriminator: string,
  shapes: Shapes,
): Value<WireOf<Shapes[number]>> {
  return {
    schema: {
      type: 'object',
      oneOf: shapes.map((shape) => ({ $ref: `#/components/schemas/${shape.name}` })),
      discriminator: {
        propertyName: discriminator,
        mapping: Object.fromEntries(
          shapes.map((shape) => [
            shape.fields[discriminator]?.value.schema['const'],
            `#/components/schemas/${shape.name}`,
          ]),
        ),
      },
    },
    inner: shapes,
  };
}

/** A field whose value is the same for every reader. */
export function shown<T>(value: Value<T>, description: string): Field<T, false> {
  return { value, description, assistant: 'same', isOptional: false };
}

/** A label: the dealership's name where the buyer may read it, and for an assistant always the car. */
export function described<T>(value: Value<T>, description: string): Field<T, false> {
  return { value, description, assistant: 'described', isOptional: false };
}

/** A field of the buyer's own session; null for an assistant. */
export function withheld<T>(value: Value<T>, description: string): Field<T | null, false> {
  return { value: nullable(value), description, assistant: 'null', isOptional: false };
}

/** A field that is never true for an assistant, and may be left out. */
export function neverTrueForAssistants(description: string): Field<boolean, true> {
  return { value: boolean, description, assistant: 'false', isOptional: true };
}

/** A field that may be absent from an answer. */
export function optional<T>(value: Value<T>, description: string): Field<T, true> {
  return { value, description, assistant: 'same', isOptional: true };
}

/** A field that hosted assistants do not get at all. */
export function unlessHosted<T>(value: Value<T>, description: string): Field<T, true> {
  return { value, description, assistant: 'unless-hosted', isOptional: true };
}

export function shape<const F extends Fields>(
  name: string,
  description: string,
  fields: F,
): Shape<F> {
  return { name, description, fields };
}
