import { Module } from '@nestjs/common';
import { OpenApiModule } from '../openapi/openapi.module.js';
import { McpController } from './mcp.controller.js';
import { McpProtocol } from './mcp-protocol.js';

/** The Model Context Protocol for assistants. It is imported only where MCP is on. */
@Module({
  imports: [OpenApiModule],
  controllers: [McpController],
  providers: [McpProtocol],
})
export class McpModule {}
