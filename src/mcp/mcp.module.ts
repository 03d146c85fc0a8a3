import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller.js';
import { McpProtocol } from './mcp-protocol.js';

/**
 * The Model Context Protocol for assistants. The standalone application imports it if MCP is on; a
 * host application imports `DealSetsMcpModule` instead.
 */
@Module({
  controllers: [McpController],
  providers: [McpProtocol],
})
export class McpModule {}
