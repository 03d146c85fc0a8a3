import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../kernel/error-catalogue.js';

/** Further codes may be added, so the schema describes the codes instead of enumerating them. */
const KNOWN_CODES = Object.entries(ERROR_CATALOGUE)
  .map(([code, { status }]) => `\`${code}\` (${status})`)
  .join(', ');

/** The content of an error response (contract, section 7), for the API description. */
@ApiSchema({ description: 'Branch on the code and the HTTP status, never on the message.' })
export class ErrorDetail {
  @ApiProperty({
    type: 'string',
    description: `What went wrong. An open list: treat a code that you do not know by the class of its HTTP status. Known codes: ${KNOWN_CODES}.`,
    examples: Object.keys(ERROR_CATALOGUE),
  })
  readonly code!: string;

  @ApiProperty({
    type: 'string',
    description:
      'A constant text for people, one for each code and cause. It may change within a version.',
    minLength: 1,
  })
  readonly message!: string;
}

/** The body of every error response (contract, section 7), for the API description. */
@ApiSchema({ description: 'The body of every error response.' })
export class ErrorResponse {
  @ApiProperty({ type: () => ErrorDetail })
  readonly error!: ErrorDetail;
}
