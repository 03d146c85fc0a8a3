import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import {
  addField,
  declareDescription,
  DESCRIBED,
  NEVER_TRUE,
  SHOWN_TO_ALL,
  UNLESS_HOSTED,
  WITHHELD,
  type Field,
  type FieldType,
  type VisibilityByPrincipal,
  type ScalarType,
} from './field.js';
import type { FieldDecorator } from './field-decorator.types.js';
import { fieldDescription, scalarSchema } from './field-schema.js';
import { discriminatorValue } from './field-redaction.js';

/** Scalar types by `design:type`. The compiler emits `Object` for unions: declare their types. */
const COMPILED_SCALARS: ReadonlyMap<unknown, ScalarType> = new Map<unknown, ScalarType>([
  [String, 'text'],
  [Number, 'integer'],
  [Boolean, 'boolean'],
]);

/**
 * Creates the decorator that declares a field.
 *
 * @throws {Error} naming a property whose type follows neither from the declaration nor from
 *   `design:type`.
 */
function declare(
  visibility: VisibilityByPrincipal,
  description: string,
  declaration: FieldType,
): PropertyDecorator {
  return (target, property) => {
    const name = String(property);
    const compiledType = COMPILED_SCALARS.get(Reflect.getMetadata('design:type', target, property));
    const type = declaration.type ?? (declaration.enum ? 'text' : compiledType);
    if (type === undefined && !declaration.oneOf) {
      throw new Error(`${target.constructor.name}.${name}: name its type in the declaration`);
    }
    const field: Field = {
      description,
      visibility,
      type: { ...declaration, ...(type && { type }) },
    };
    addField(target, name, field);
    if (declaration.oneOf) ApiExtraModels(...declaration.oneOf.classes())(target.constructor);
    const { isOptional = false, isNullable = false } = declaration;
    const described = { ...propertyOf(field), required: !isOptional, nullable: isNullable };
    ApiProperty(described)(target, name);
  };
}

/** Describes a response DTO. Only properties with one of the decorators below are sent. */
export function ResponseDto(description: string): ClassDecorator {
  return applyDecorators(ApiSchema({ description }), declareDescription(description));
}

/** A field whose value is the same for every principal. */
export function Shown<const O extends FieldType = object>(
  description: string,
  type?: O,
): FieldDecorator<O> {
  return declare(SHOWN_TO_ALL, description, type ?? {});
}

/**
 * A label. The buyer gets a name if the buyer may know it; an assistant always gets a description.
 *
 * @param forAssistant what an assistant gets, for the API description.
 */
export function Described<const O extends FieldType = object>(
  description: string,
  forAssistant: string,
  type?: O,
): FieldDecorator<O> {
  return declare(DESCRIBED, `${description} ${forAssistant}`, type ?? {});
}

/** A field for the buyer's session only; null for an assistant. */
export function Withheld<const O extends FieldType>(
  description: string,
  type: O,
): FieldDecorator<O & { readonly isNullable: true }> {
  return declare(WITHHELD, description, { ...type, isNullable: true });
}

/** A field that is never true for an assistant; it may be left out. */
export function NeverTrue(
  description: string,
): FieldDecorator<{ readonly type: 'boolean'; readonly isOptional: true }> {
  return declare(NEVER_TRUE, description, { type: 'boolean', isOptional: true });
}

/** A field that is left out for hosted assistants. */
export function UnlessHosted<const O extends FieldType = object>(
  description: string,
  type?: O,
): FieldDecorator<O & { readonly isOptional: true }> {
  return declare(UNLESS_HOSTED, description, { ...type, isOptional: true });
}

/**
 * Returns the property for the API description. `x-assistant` is the machine-readable visibility
 * for an assistant.
 */
function propertyOf(field: Field): object {
  const { type, oneOf, isList = false } = field.type;
  const documentation = {
    description: fieldDescription(field),
    'x-assistant': field.visibility.assistant,
  };
  if (typeof type === 'function') return { type, isArray: isList, ...documentation };
  const schema = oneOf ? unionOf(oneOf) : scalarSchema(field.type);
  return { ...(isList ? { type: 'array', items: schema } : schema), ...documentation };
}

/**
 * Returns the property of a custom field for the API description: a scalar or a list of scalars, or
 * null.
 */
export function customPropertyOf(field: Field): object {
  const property: { readonly type?: string } = propertyOf(field);
  return { ...property, type: [property.type, 'null'] };
}

/**
 * Returns the schema of one of several classes, with the discriminator value of each, such as
 * `deal_set` for `DealSetEntry`.
 */
function unionOf({ by, classes }: NonNullable<FieldType['oneOf']>): object {
  const mapping = classes().map(
    (dto) => [discriminatorValue(dto, by), getSchemaPath(dto)] as const,
  );
  return {
    oneOf: mapping.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: by, mapping: Object.fromEntries(mapping) },
  };
}
