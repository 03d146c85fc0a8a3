import { createParamDecorator, ValidationPipe, type ExecutionContext } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import { AppError } from '../../kernel/app-error.js';
import { parseIsoTime } from '../../kernel/iso-time.js';

/** The query parameters of the list. */
export class ListQueryDto {
  /** The time after which the listed requests changed, in milliseconds since 1970. */
  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    // Not in `example`, with which the documentation page would fill its form in, so that "Try it
    // out" would poll instead of listing.
    description:
      'Only requests with activity after this time, such as `2026-10-14T16:00:00Z`. Encode a `+` as `%2B`.',
  })
  // Read from the query itself, because a global pipe of a host application may have converted the
  // value. It is already a number if such a pipe has run this transformation.
  @Transform(({ obj }) => sinceMs((obj as { readonly since?: unknown }).since))
  @IsOptional()
  // The service checks times with its own grammar, which is stricter than class-validator's.
  @ValidateBy({ name: 'isTime', validator: { validate: Number.isFinite } })
  readonly since?: number;
}

/**
 * Converts the parameter. Fastify and Express pass a repeated parameter as a list, which is not a
 * valid time.
 *
 * @returns milliseconds since 1970; NaN for a value that is not a time.
 */
function sinceMs(since: unknown): number | undefined {
  if (since === undefined || typeof since === 'number') return since;
  return (typeof since === 'string' ? parseIsoTime(since) : null) ?? NaN;
}

const listQueryPipe = new ValidationPipe({
  expectedType: ListQueryDto,
  validateCustomDecorators: true,
  transform: true,
  whitelist: true,
  exceptionFactory: () => new AppError('invalid_request', { reason: 'since_malformed' }),
});

const query = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): unknown =>
    execution.switchToHttp().getRequest<{ readonly query: unknown }>().query,
);

/**
 * Parameter decorator that provides the validated query of the list. Use it instead of `@Query()`:
 * a host application's global pipes also validate `@Query()`, and may reject unknown names, which
 * the contract ignores.
 */
export const ListQuery = (): ParameterDecorator => query(listQueryPipe);
