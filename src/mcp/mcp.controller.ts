import {
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  MethodNotAllowedException,
  Post,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MCP_PATH } from '../auth/mcp-resource.js';
import type { RequestNotes } from '../http/context/request-notes.js';
import { CurrentPrincipal, Notes, RequestDeadline } from '../http/context/request-parameters.js';
import { ServiceRoute } from '../endpoint/endpoint-policy.js';
import { EnvelopeFilter } from '../http/errors/envelope.filter.js';
import type { Deadline } from '../kernel/deadline.js';
import { READ_SCOPE, type Principal } from '../kernel/principal.js';
import { McpEndpoint } from './mcp-endpoint.decorator.js';
import { ApiMessage, McpResponse } from './mcp-message.dto.js';
import { Message, type UncheckedMessage } from './mcp-message.guard.js';
import type { McpHttpResponse } from './mcp-response.interceptor.js';
import { McpProtocol } from './mcp-protocol.js';

/**
 * The MCP endpoint: JSON-RPC over POST. GET and DELETE, which the protocol also defines, are
 * rejected with 405.
 */
@ApiTags('MCP')
@Controller({ path: MCP_PATH, version: VERSION_NEUTRAL })
@UseFilters(EnvelopeFilter)
export class McpController {
  constructor(private readonly protocol: McpProtocol) {}

  @Post()
  @ApiMessage()
  @McpEndpoint({
    flag: 'mcp',
    scope: READ_SCOPE,
    response: McpResponse,
    principals: ['assistant'],
    summary: 'Call a tool through MCP',
    description:
      'Stateless Model Context Protocol over Streamable HTTP, revisions 2026-07-28, 2025-11-25 and earlier. It responds to each POST with JSON and never with a stream.',
    documentation: { responseDescription: 'The response to a request.' },
  })
  async handleMessage(
    @CurrentPrincipal() principal: Principal,
    @Message() message: UncheckedMessage,
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @RequestDeadline() deadline: Deadline,
    @Notes() notes: Pick<RequestNotes, 'noteToolError'>,
  ): Promise<McpHttpResponse> {
    return this.protocol.answer(message, headers, { principal, deadline, notes });
  }

  /** Rejects GET with 405, because there is no stream to open. */
  @Get()
  @Header('Allow', 'POST')
  @ServiceRoute()
  rejectStream(): never {
    throw new MethodNotAllowedException();
  }

  /** Rejects DELETE with 405, because there is no session to end. */
  @Delete()
  @Header('Allow', 'POST')
  @ServiceRoute()
  rejectSessionEnd(): never {
    throw new MethodNotAllowedException();
  }
}
