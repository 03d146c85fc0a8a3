import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
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
    const dto =
      type === 'query' ? queryOf(metatype, value) : (plainToInstance(metatype, value) as object);
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
