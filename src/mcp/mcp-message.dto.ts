import { ApiSchema } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { ResponseDto } from '../redaction/field.decorators.js';

/** The body of a POST; the protocol's library checks it. */
@ApiSchema({ description: 'A JSON-RPC 2.0 request or notification.' })
export class McpMessage {
  @Allow() readonly jsonrpc?: unknown;
  @Allow() readonly id?: unknown;
  @Allow() readonly method?: unknown;
  @Allow() readonly params?: unknown;
}

@ResponseDto('A JSON-RPC 2.0 response; no body (202) after a notification.')
export class McpResponse {}
