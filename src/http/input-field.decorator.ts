import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { ErrorReason } from '../kernel/app-error.js';
import type { JsonSchema } from '../response-shape/field.js';

const INPUT_FIELDS = 'deal-sets:input-fields';

interface Documented {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: unknown;
}

/** A field of a query or body DTO, as the API description shows it. */
export interface InputField extends Documented {
  readonly name: string;
  readonly isRequired: boolean;
  /** Known causes of a refusal, which name the field in their message. */
  readonly reasons: readonly ErrorReason[];
}

/**
 * Documents a property of a query or body DTO. What class-validator's decorators on it already say is
 * taken from them.
 */
export function InputField(
  description: string,
  { schema = {}, example }: { readonly schema?: JsonSchema; readonly example?: unknown } = {},
): PropertyDecorator {
  return (target, property) => {
    const fields = documentedFields(target.constructor);
    Reflect.defineMetadata(
      INPUT_FIELDS,
      { ...fields, [String(property)]: { description, schema, example } },
      target.constructor,
    );
  };
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- a class of any kind
function documentedFields(dto: Function): Readonly<Record<string, Documented>> {
  return (Reflect.getMetadata(INPUT_FIELDS, dto) ?? {}) as Record<string, Documented>;
}

/** The schema that follows from a decorator of class-validator, by its name. */
const SCHEMA_OF: Readonly<Record<string, (...constraints: never[]) => JsonSchema>> = {
  isString: () => ({ type: 'string' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isBoolean: () => ({ type: 'boolean' }),
  isUuid: () => ({ type: 'string', format: 'uuid' }),
  isArray: () => ({ type: 'array' }),
  isIn: (values: readonly unknown[]) => ({ enum: values }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  minLength: (minLength: number) => ({ minLength }),
  maxLength: (maxLength: number) => ({ maxLength }),
  isLength: (minLength: number, maxLength: number) => ({ minLength, maxLength }),
};

/** The documented fields of a DTO, in the order of their declaration. */
export function inputFieldsOf(dto: Type): readonly InputField[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return Object.entries(documentedFields(dto)).map(([name, documented]) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const schemas = own.map(
      (rule) =>
        SCHEMA_OF[rule.name ?? '']?.(...((rule.constraints as never[] | undefined) ?? [])) ?? {},
    );
    const reasons = own
      .map((rule) => (rule.context as { reason?: ErrorReason } | undefined)?.reason)
      .filter((reason) => reason !== undefined);
    return {
      name,
      ...documented,
      schema: Object.assign({}, ...schemas, documented.schema) as JsonSchema,
      isRequired: !own.some(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION),
      reasons: [...new Set(reasons)],
    };
  });
}
