import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { MCP_PATH } from '../config/settings.js';
import { McpController, MetadataController } from './mcp.controller.js';
import { McpProtocol } from './mcp-protocol.js';
import { Tools } from './tools.js';

const jsonRpcError = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
const PARSE_ERROR = jsonRpcError(-32_700, 'Parse error');
const INVALID_REQUEST = jsonRpcError(-32_600, 'Invalid Request: the body must be one message');

const isObject = (body: unknown): boolean => typeof body === 'object' && !Array.isArray(body);

/** The Model Context Protocol for assistants. Imported only where the settings turn it on. */
@Module({ controllers: [McpController, MetadataController], providers: [McpProtocol, Tools] })
export class McpModule implements OnModuleInit {
  constructor(private readonly adapters: HttpAdapterHost<FastifyAdapter>) {}

  /** A body that is no message is refused before any handler: that too in the protocol's own form. */
  onModuleInit(): void {
    this.adapters.httpAdapter.getInstance().addHook('onSend', (request, reply, payload, done) => {
      const isRefused = reply.statusCode === 400 && request.routeOptions.url === MCP_PATH;
      if (isRefused && request.body === undefined) done(null, PARSE_ERROR);
      else if (isRefused && !isObject(request.body)) done(null, INVALID_REQUEST);
      else done(null, payload);
    });
  }
}
