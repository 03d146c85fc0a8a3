import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import {
  DESCRIBED,
  NEVER_TRUE,
  SAME,
  UNLESS_HOSTED,
  WITHHELD,
  type Field,
  type Form,
  type Forms,
  type JsonSchema,
} from './field.js';
import {
  DESCRIPTION,
  FIELDS,
  LEAVES,
  OWN_TYPES,
  type Declared,
  type FieldType,
  type LeafName,
} from './shape-of.js';

/** The TypeScript type of one value. */
type Plain<O extends FieldType> = O extends { readonly words: readonly (infer Word)[] }
  ? Word
  : O extends { readonly type: 'text' | 'uuid' | 'time' }
    ? string
    : O extends { readonly type: 'boolean' }
      ? boolean
      : O extends { readonly type: LeafName }
        ? number
        : O extends { readonly type: () => Type<infer C> }
          ? C
          : O extends { readonly oneOf: { readonly of: () => readonly Type<infer C>[] } }
            ? C
            : string | number | boolean;
type Listed<O extends FieldType> = O extends { readonly isList: true }
  ? readonly Plain<O>[]
  : Plain<O>;

type Accepts<Part, T> = Part extends T ? true : false;
/** Whether the property's type says what is sent: no more than the declaration, and null or absence where it may be. */
type Fits<T, O extends FieldType, IsNullable, IsOptional> =
  Exclude<T, null | undefined> extends Listed<O>
    ? [Accepts<null, T>, Accepts<undefined, T>] extends [IsNullable, IsOptional]
      ? [IsNullable, IsOptional] extends [Accepts<null, T>, Accepts<undefined, T>]
        ? true
        : false
      : false
    : false;
type Is<O, Key extends string> = O extends { readonly [K in Key]: true } ? true : false;

/** A property decorator that compiles on properties of a fitting type alone. */
type On<O extends FieldType, IsNullable, IsOptional> = <
  T extends object,
  K extends keyof T & string,
>(
  target: T,
  property: Fits<T[K], O, IsNullable, IsOptional> extends true ? K : never,
) => void;

function declare(forms: Forms, description: string, type: FieldType): PropertyDecorator {
  return (target, property) => {
    const inherited = (Reflect.getMetadata(FIELDS, target) ?? {}) as Record<string, Declared>;
    const own = { ...inherited, [String(property)]: { description, forms, type } };
    Reflect.defineMetadata(FIELDS, own, target);
    document(target, String(property), { description, forms, type });
  };
}

/** Describes a response DTO. Each property that is sent has one of the decorators below; no other is sent. */
export function ResponseDto(description: string): ClassDecorator {
  return (target) => {
    Reflect.defineMetadata(DESCRIPTION, description, target);
    ApiSchema({ description })(target);
  };
}

/** A field whose value is the same for every principal. */
export function Shown<const O extends FieldType = object>(
  description: string,
  type?: O,
): On<O, Is<O, 'isNullable'>, Is<O, 'isOptional'>> {
  return declare(SAME, description, type ?? {});
}

/**
 * A label: a name for the buyer where she may read it, always a description for an assistant.
 *
 * @param forAssistant what an assistant gets, for the API description.
 */
export function Described<const O extends FieldType = object>(
  description: string,
  forAssistant: string,
  type?: O,
): On<O, Is<O, 'isNullable'>, Is<O, 'isOptional'>> {
  return declare(DESCRIBED, `${description} ${forAssistant}`, type ?? {});
}

/** A field of the buyer's own session; null for an assistant. */
export function Withheld<const O extends FieldType>(
  description: string,
  type: O,
): On<O, true, false> {
  return declare(WITHHELD, description, { ...type, isNullable: true });
}

/** A field that is never true for an assistant, and may be left out. */
export function NeverTrue(description: string): On<{ readonly type: 'boolean' }, false, true> {
  return declare(NEVER_TRUE, description, { type: 'boolean', isOptional: true });
}

/** A field that hosted assistants do not get at all. */
export function UnlessHosted<const O extends FieldType = object>(
  description: string,
  type?: O,
): On<O, Is<O, 'isNullable'>, true> {
  return declare(UNLESS_HOSTED, description, { ...type, isOptional: true });
}

/** What the API description says of a field besides its description. */
const FOR_ASSISTANTS: Readonly<Record<Form, string>> = {
  same: '',
  described: '',
  null: ' Null for an assistant.',
  false: ' False for an assistant.',
  'unless-hosted': ' Left out for a hosted assistant.',
};

/** What the API description says of a field in any form; `x-assistant` is the form an assistant gets, for programs. */
function documentation(description: string, forms: Forms): object {
  const form = forms.assistant;
  return { description: description + FOR_ASSISTANTS[form], 'x-assistant': form };
}

/** The property of a team's own field in the API description: a plain value, or a list of such. */
export function apiPropertyOf({ value, description, forms }: Field): object {
  const inner = value.is === 'nullable' ? value.of : value;
  const leaf = inner.is === 'list' ? inner.of : inner;
  const schema = leaf.is === 'leaf' ? leaf.schema : {};
  const listed = inner.is === 'list' ? { type: 'array', items: schema } : schema;
  return { ...listed, type: [listed['type'], 'null'], ...documentation(description, forms) };
}

/** Describes a property for @nestjs/swagger, when its class is made. */
function document(target: object, property: string, { description, forms, type }: Declared): void {
  const own = Reflect.getMetadata('design:type', target, property) as unknown;
  const options = {
    ...typeOptions(type, own),
    required: !type.isOptional,
    nullable: type.isNullable ?? false,
    ...documentation(description, forms),
  };
  if (type.oneOf) ApiExtraModels(...type.oneOf.of())(target.constructor);
  ApiProperty(options)(target, property);
}

function typeOptions({ type, words, oneOf, isList }: FieldType, own: unknown): object {
  const isArray = isList ? { isArray: true } : {};
  if (oneOf) {
    const refs = oneOf.of().map((dto) => ({ $ref: getSchemaPath(dto) }));
    const union = {
      oneOf: refs,
      discriminator: { propertyName: oneOf.by, mapping: mapping(oneOf) },
    };
    return isList ? { type: 'array', items: union } : union;
  }
  if (words) return { type: 'string', enum: words, ...isArray };
  if (typeof type === 'function') return { type, ...isArray };
  const name = type ?? OWN_TYPES.get(own);
  const schema: JsonSchema = name === undefined ? {} : LEAVES[name];
  return isList ? { type: 'array', items: schema } : schema;
}

/** By the word of each class: `deal_set` for `DealSetEntry`. */
function mapping({ by, of }: NonNullable<FieldType['oneOf']>): Record<string, string> {
  return Object.fromEntries(
    of().map((dto) => {
      const declared = Reflect.getMetadata(FIELDS, dto.prototype as object) as Record<
        string,
        Declared
      >;
      return [declared[by]?.type.words?.[0] ?? dto.name, getSchemaPath(dto)];
    }),
  );
}
