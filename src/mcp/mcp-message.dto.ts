import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';

/** A JSON-RPC 2.0 request or notification. The protocol's library checks it. */
export class McpMessage {
  @ApiPropertyOptional({
    type: 'string',
    enum: ['2.0'],
    description: 'The version of JSON-RPC.',
    example: '2.0',
  })
  @Allow()
  readonly jsonrpc?: unknown;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    description: 'Id of the request; absent in a notification.',
    example: 1,
  })
  @Allow()
  readonly id?: unknown;

  @ApiPropertyOptional({
    type: 'string',
    description: 'The method, such as `tools/call`.',
    example: 'tools/call',
  })
  @Allow()
  readonly method?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The parameters of the method.',
    example: { name: 'list_price_requests', arguments: {} },
  })
  @Allow()
  readonly params?: unknown;
}
