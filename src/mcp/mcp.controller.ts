import {
  Body,
  Controller,
  DefaultValuePipe,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  MethodNotAllowedException,
  Post,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MCP_PATH } from '../config/settings.js';
import { CurrentPrincipal, RequestDeadline } from '../http/request-parameters.js';
import { Public, ServiceRoute } from '../endpoint/endpoint-policy.js';
import { ContractFilter } from '../http/contract.filter.js';
import type { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { READ_SCOPE, type Principal } from '../kernel/principal.js';
import { McpEndpoint } from './mcp-endpoint.decorator.js';
import { McpMessage, McpResponse } from './mcp-message.dto.js';
import { RateLimitRejection } from './mcp-rate-limit.guard.js';
import type { McpHttpResponse } from './mcp-response.interceptor.js';
import { McpProtocol } from './mcp-protocol.js';

/**
 * The MCP endpoint: JSON-RPC over POST. GET and DELETE, which the protocol also defines, are
 * rejected with 405.
 */
@ApiTags('MCP')
@Controller({ path: MCP_PATH, version: VERSION_NEUTRAL })
@ServiceRoute(true)
@UseFilters(ContractFilter)
export class McpController {
  constructor(private readonly protocol: McpProtocol) {}

  @Post()
  @HttpCode(200)
  @McpEndpoint({
    flag: 'mcp',
    scope: READ_SCOPE,
    rateClass: 'read',
    response: McpResponse,
    body: McpMessage,
    principals: ['assistant'],
    summary: 'Call a tool through MCP',
    description:
      'Stateless Model Context Protocol over Streamable HTTP, revisions 2026-07-28, 2025-11-25 and earlier. It responds to each POST with JSON and never with a stream.',
    documentation: {
      responseDescription: 'The response; 202 without a body after a notification.',
    },
  })
  async handleMessage(
    @CurrentPrincipal() principal: Principal,
    // In a host application the body can be undefined if it is not JSON.
    @Body(new DefaultValuePipe({})) message: McpMessage,
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @RequestDeadline() deadline: Deadline,
    @RateLimitRejection() rejection: AppError | undefined,
  ): Promise<McpHttpResponse> {
    // The result of a tool call contains the rejection itself, so that the client shows it to the
    // model.
    if (rejection && message.method !== 'tools/call') throw rejection;
    return this.protocol.answer(message, headers, { principal, deadline, rejection });
  }

  /** Rejects GET with 405, because there is no stream to open. */
  @Get()
  @Header('Allow', 'POST')
  @Public()
  rejectStream(): never {
    throw new MethodNotAllowedException();
  }

  /** Rejects DELETE with 405, because there is no session to end. */
  @Delete()
  @Header('Allow', 'POST')
  @Public()
  rejectSessionEnd(): never {
    throw new MethodNotAllowedException();
  }
}
