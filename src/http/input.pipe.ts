import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import {
  getMetadataStorage,
  IS_OPTIONAL,
  validateSync,
  ValidationTypes,
  type ValidationError,
} from 'class-validator';
import { AppError, type ErrorReason } from '../kernel/app-error.js';

/**
 * Makes the DTO of a `@Query()` or `@Body()` parameter and validates it. Unknown names are ignored, and no
 * value is converted: text stays text.
 *
 * Nest's own ValidationPipe would do the same, but its message repeats the input.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  /** @throws {AppError} `invalid_request`, with the reason that a validator's context names. */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'query' && type !== 'body') || !isDto(metatype)) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new AppError('invalid_request');
    }
    const { uncheckedNames, isOptional } = rulesOf(metatype);
    if (uncheckedNames) return membersOf(metatype, value, uncheckedNames);
    const dto =
      type === 'query' ? queryOf(metatype, value) : (plainToInstance(metatype, value) as object);
    // The plain list has no query: finding that out takes class-validator a thirtieth of the request's time.
    if (isOptional && Object.values(dto).every((member) => member === undefined)) return dto;
    const errors = validateSync(dto, { whitelist: true, forbidUnknownValues: true });
    if (errors.length > 0) {
      const reason = reasonOf(errors);
      throw new AppError('invalid_request', reason && { reason });
    }
    return dto;
  }
}

/** A query holds nothing but texts, so there is nothing for class-transformer to make: it takes ten times as long. */
function queryOf(metatype: Type, value: object): object {
  const dto = new metatype() as Record<string, unknown>;
  for (const [name, text] of Object.entries(value)) {
    // As class-transformer does: they would be more than values.
    if (name !== '__proto__' && name !== 'constructor') dto[name] = text;
  }
  return dto;
}

/** What is known of a DTO from its rules. */
interface DtoRules {
  /**
   * The properties of a DTO that only allows them, each of type `unknown`: the handler checks their values.
   * class-transformer would copy all of them first. Null for a DTO that has something to check or to make.
   */
  readonly uncheckedNames: readonly string[] | null;
  /**
   * Every property that has rules is optional: there is nothing to check in an object without values. False without
   * any rule: class-validator refuses such an object.
   */
  readonly isOptional: boolean;
}

const known = new WeakMap<Type, DtoRules>();

function rulesOf(metatype: Type): DtoRules {
  let rules = known.get(metatype);
  if (!rules) {
    const all = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
    const isUnchecked = all.every(
      ({ type, propertyName }) =>
        type === ValidationTypes.WHITELIST &&
        Reflect.getMetadata('design:type', metatype.prototype as object, propertyName) === Object,
    );
    const optional = all
      .filter(({ name }) => name === IS_OPTIONAL)
      .map((rule) => rule.propertyName);
    rules = {
      uncheckedNames:
        isUnchecked && all.length > 0 ? all.map(({ propertyName }) => propertyName) : null,
      isOptional: all.length > 0 && all.every((rule) => optional.includes(rule.propertyName)),
    };
    known.set(metatype, rules);
  }
  return rules;
}

function membersOf(metatype: Type, value: object, names: readonly string[]): object {
  const dto = new metatype() as Record<string, unknown>;
  const given = value as Readonly<Record<string, unknown>>;
  for (const name of names) if (Object.hasOwn(given, name)) dto[name] = given[name];
  return dto;
}

const PLAIN: readonly unknown[] = [undefined, Object, String, Number, Boolean, Array];

function isDto(metatype: Type | undefined): metatype is Type {
  return !PLAIN.includes(metatype);
}

function reasonOf(errors: readonly ValidationError[]): ErrorReason | undefined {
  for (const { contexts } of errors) {
    for (const context of Object.values(contexts ?? {})) {
      const { reason } = context as { reason?: ErrorReason };
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}
