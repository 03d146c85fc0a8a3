import type { PipeTransform } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { parseUuid } from '../kernel/uuid.js';
import type { JsonSchema } from '../response-shape/field.js';

/**
 * An id in a path: `@Param('id', new IdPipe('A `dealSetId`.')) id: string`. Any other text names nothing,
 * so it is `not_found`, never `invalid_request`.
 */
export class IdPipe implements PipeTransform<string, string> {
  readonly schema: JsonSchema = { type: 'string', format: 'uuid' };

  /** @param description for the API description. */
  constructor(readonly description: string) {}

  /** @returns the id in lower case. */
  transform(value: string): string {
    const id = parseUuid(value);
    if (id === undefined) throw new AppError('not_found');
    return id;
  }
}
