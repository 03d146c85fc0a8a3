import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../http/http.module.js';
import { ErrorBodies } from '../http/errors/error-bodies.js';
import { MCP_PATH } from '../auth/mcp-resource.js';
import { jsonRpcError } from './json-rpc-error.js';
import { McpController } from './mcp.controller.js';
import { McpProtocol } from './mcp-protocol.js';

/**
 * The Model Context Protocol for assistants. The standalone application imports it if MCP is on; a
 * host application imports `DealSetsMcpModule` instead.
 */
@Module({
  imports: [AuthModule, HttpModule],
  controllers: [McpController],
  providers: [McpProtocol],
})
export class McpModule implements OnModuleInit {
  constructor(private readonly errorBodies: ErrorBodies) {}

  onModuleInit(): void {
    this.errorBodies.register(MCP_PATH, jsonRpcError);
  }
}
