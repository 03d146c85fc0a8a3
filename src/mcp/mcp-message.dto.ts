import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiProperty,
  ApiResponse,
  ApiSchema,
  getSchemaPath,
} from '@nestjs/swagger';
import { headersOfStatus } from '../endpoint/endpoint-documentation.js';
import { ResponseDto } from '../redaction/field.decorators.js';

/** The body of a POST. The protocol's library checks it. */
@ApiSchema({ description: 'A JSON-RPC 2.0 request or notification.' })
class McpMessage {}

@ResponseDto('A JSON-RPC 2.0 response.')
export class McpResponse {}

class McpErrorData {
  @ApiProperty({ description: 'The code of the contract’s error.' })
  readonly code!: string;
}

class McpErrorDetail {
  @ApiProperty({ type: 'integer' })
  readonly code!: number;

  @ApiProperty()
  readonly message!: string;

  @ApiProperty()
  readonly data!: McpErrorData;
}

@ApiSchema({ description: 'A JSON-RPC 2.0 error.' })
class McpError {
  @ApiProperty({ enum: ['2.0'] })
  readonly jsonrpc!: string;

  @ApiProperty({
    anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' as never }],
    description: 'The id of the request; null if it is not known.',
  })
  readonly id!: string | number | null;

  @ApiProperty()
  readonly error!: McpErrorDetail;
}

const MESSAGE_ERRORS = {
  400: 'The body is not one valid JSON-RPC message, or is nested more than 16 levels deep.',
  413: 'The body is over 16 KiB; in a host application, over the limit of its parser.',
  415: 'The body is not `application/json` in UTF-8.',
};

/** Only the calls of tools are counted, by `DealSetsApi`. */
export const NOT_COUNTED = { isCounted: false };

/** Documents the body of a POST, and the responses to a notification and to a rejected body. */
export function ApiMessage(): MethodDecorator {
  const content = { 'application/json': { schema: { $ref: getSchemaPath(McpError) } } };
  return applyDecorators(
    ApiBody({ type: McpMessage }),
    ApiExtraModels(McpError),
    ApiResponse({
      status: 202,
      description: 'A notification was accepted. The response has no body.',
      headers: headersOfStatus(202, NOT_COUNTED),
    }),
    ...Object.entries(MESSAGE_ERRORS).map(([status, description]) =>
      ApiResponse({
        status: Number(status),
        description,
        headers: headersOfStatus(Number(status), NOT_COUNTED),
        content,
      }),
    ),
  );
}
