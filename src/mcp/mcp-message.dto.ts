import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';

/** A JSON-RPC 2.0 request or notification. The protocol's library checks it. */
export class McpMessage {
  @ApiPropertyOptional({ type: 'string', enum: ['2.0'], description: 'The version of JSON-RPC.' })
  @Allow()
  readonly jsonrpc?: unknown;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    description: 'Id of the request; absent in a notification.',
  })
  @Allow()
  readonly id?: unknown;

  @ApiPropertyOptional({ type: 'string', description: 'The method, such as `tools/call`.' })
  @Allow()
  readonly method?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The parameters of the method.',
  })
  @Allow()
  readonly params?: unknown;
}
