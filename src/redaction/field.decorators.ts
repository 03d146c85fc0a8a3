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
} from './field.js';
import {
  declaredOf,
  DESCRIPTION,
  FIELDS,
  leafSchemaOf,
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
    const name = String(property);
    const declared = { description, forms, type };
    Reflect.defineMetadata(FIELDS, { ...declaredOf(target), [name]: declared }, target);
    document(target, name, declared);
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
  const { isList = false, isNullable = false, isOptional = false, oneOf } = type;
  const own = Reflect.getMetadata('design:type', target, property) as unknown;
  if (oneOf) ApiExtraModels(...oneOf.of())(target.constructor);
  const schema = oneOf ? unionOf(oneOf) : leafSchemaOf(type, own);
  const options: object = {
    ...(typeof type.type === 'function'
      ? { type: type.type, isArray: isList }
      : isList
        ? { type: 'array', items: schema }
        : schema),
    required: !isOptional,
    nullable: isNullable,
    ...documentation(description, forms),
  };
  ApiProperty(options)(target, property);
}

/** One of several classes, by the word of each: `deal_set` for `DealSetEntry`. */
function unionOf({ by, of }: NonNullable<FieldType['oneOf']>): object {
  const mapping = of().map((dto) => {
    const [word = dto.name] = declaredOf(dto.prototype as object)[by]?.type.words ?? [];
    return [word, getSchemaPath(dto)] as const;
  });
  return {
    oneOf: mapping.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: by, mapping: Object.fromEntries(mapping) },
  };
}
