import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  MethodNotAllowedException,
  Module,
  Post,
} from '@nestjs/common';
import { ApiSchema, ApiTags } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { MCP_PATH, Settings } from '../config/settings.js';
import {
  CurrentPrincipal,
  RateLimitRefusal,
  RequestSignal,
  RequestStart,
} from '../http/request-context.js';
import { Endpoint } from '../http/endpoint.decorator.js';
import { Public, type ProtocolResponse } from '../http/endpoint-policy.js';
import { METADATA_PATH } from '../http/protected-resource.guard.js';
import { AppError } from '../kernel/app-error.js';
import { READ_SCOPE, type Principal } from '../kernel/principal.js';
import { ResponseDto } from '../redaction/field.decorators.js';
import { McpProtocol } from './mcp-protocol.js';

/** The protocol's library checks it. */
@ApiSchema({ description: 'A JSON-RPC 2.0 request or notification.' })
class McpMessage {
  @Allow() readonly jsonrpc?: unknown;
  @Allow() readonly id?: unknown;
  @Allow() readonly method?: unknown;
  @Allow() readonly params?: unknown;
}

@ResponseDto('A JSON-RPC 2.0 response; nothing (202) after a notification.')
class McpResponse {}

@ApiTags('MCP')
@Controller(MCP_PATH)
export class McpController {
  constructor(private readonly protocol: McpProtocol) {}

  @Post()
  @HttpCode(200)
  @Endpoint({
    flag: 'mcp',
    scope: READ_SCOPE,
    rateClass: 'read',
    response: McpResponse,
    body: McpMessage,
    principals: ['assistant'],
    summary: 'Call a tool by MCP',
    description:
      'Model Context Protocol over Streamable HTTP, stateless, of the revisions 2026-07-28 and 2025-11-25 or earlier. It responds to each POST with JSON and never with a stream.',
    protocol: { resource: MCP_PATH },
    documentation: {
      status: 200,
      responseDescription: 'The response; 202 without a body after a notification.',
    },
  })
  async handleMessage(
    @CurrentPrincipal() principal: Principal,
    @Body() message: McpMessage,
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @RequestSignal() signal: AbortSignal,
    @RequestStart() startedAt: number,
    @RateLimitRefusal() refusal: AppError | undefined,
  ): Promise<ProtocolResponse> {
    // The result of a tool call carries the refusal itself: its client shows it to the model.
    if (refusal && message.method !== 'tools/call') throw refusal;
    return this.protocol.answer(message, headers, { principal, signal, startedAt, refusal });
  }

  /** There is no stream to open. */
  @Get()
  @Header('Allow', 'POST')
  @Public()
  refuseStream(): never {
    throw new MethodNotAllowedException();
  }

  /** There is no session to end. */
  @Delete()
  @Header('Allow', 'POST')
  @Public()
  refuseSessionEnd(): never {
    throw new MethodNotAllowedException();
  }
}

/**
 * Protected resource metadata (RFC 9728) of the API, at the root, and of `/mcp`: here a client that was refused learns
 * who issues its tokens.
 */
@Controller(METADATA_PATH)
@Public()
export class MetadataController {
  constructor(private readonly settings: Settings) {}

  @Get(MCP_PATH)
  describeMcp(): object {
    return this.describeApi(MCP_PATH);
  }

  /** @throws {AppError} `not_found` with the development issuer, which has no address. */
  @Get()
  describeApi(path = ''): object {
    const { issuer, publicUrl } = this.settings;
    if (!issuer || publicUrl === undefined) throw new AppError('not_found');
    return {
      resource: publicUrl + path,
      resource_name: 'Deal Sets',
      authorization_servers: [issuer.issuer],
      scopes_supported: [READ_SCOPE],
      bearer_methods_supported: ['header'],
    };
  }
}

/** The Model Context Protocol for assistants. Imported only where MCP is on. */
@Module({ controllers: [McpController, MetadataController], providers: [McpProtocol] })
export class McpModule {}
