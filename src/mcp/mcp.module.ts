import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller.js';
import { McpProtocol } from './mcp-protocol.js';

/**
 * The Model Context Protocol for assistants. The standalone application imports it where MCP is on,
 * a host application by `DealSetsMcpModule`.
 */
@Module({
  controllers: [McpController],
  providers: [McpProtocol],
})
export class McpModule {}
