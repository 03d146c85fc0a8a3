import { Module } from '@nestjs/common';
import { McpController, MetadataController } from './mcp.controller.js';
import { McpProtocol } from './mcp-protocol.js';
import { Tools } from './tools.js';

/** The Model Context Protocol for assistants. Imported only where the settings turn it on. */
@Module({ controllers: [McpController, MetadataController], providers: [McpProtocol, Tools] })
export class McpModule {}
