import { Module, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { OAuthMetadataModule } from '../oauth-metadata/oauth-metadata.module.js';
import { McpModule } from './mcp.module.js';

/**
 * Adds MCP to a host application that also imports `DealSetsModule`: `POST /mcp`, and the OAuth
 * metadata (RFC 9728) in which clients find the issuer.
 */
@Module({ imports: [McpModule, OAuthMetadataModule] })
export class DealSetsMcpModule implements OnModuleInit {
  constructor(private readonly settings: Settings) {}

  /** @throws {Error} when MCP is off, so that the service would reject tokens for `/mcp`. */
  onModuleInit(): void {
    if (this.settings.hasMcp) return;
    throw new Error(
      'DealSetsMcpModule: turn MCP (settings.hasMcp) on, so that the service also accepts tokens for /mcp',
    );
  }
}
