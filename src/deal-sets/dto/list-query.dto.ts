import { IsOptional, ValidateBy, type ValidationOptions } from 'class-validator';
import { InputField } from '../../http/input-field.decorator.js';
import type { ErrorReason } from '../../kernel/app-error.js';
import { parseIsoTime } from '../../kernel/iso-time.js';

const MALFORMED: ValidationOptions & { context: { reason: ErrorReason } } = {
  context: { reason: 'since_malformed' },
};

/** The time grammar is strict and the service's own; class-validator's is wider. A list is a repeated name. */
const IsTimeWithZone = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isTimeWithZone',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && parseIsoTime(value) !== null,
        // class-validator drops the context of a rule without a message; the message itself is never sent.
        defaultMessage: () => 'expected an ISO 8601 time with a zone',
      },
    },
    MALFORMED,
  );

/** The query of the list. */
export class ListQueryDto {
  @InputField('Only requests with activity after this time. Escape a `+` as `%2B`.', {
    schema: { type: 'string', format: 'date-time' },
    example: '2026-10-14T16:00:00Z',
  })
  @IsOptional()
  @IsTimeWithZone()
  readonly since?: string;
}
