import { Module, type OnModuleInit } from '@nestjs/common';
import { originOf } from '../config/settings-origin.js';
import { Settings } from '../config/settings.js';
import { OAuthMetadataModule } from '../oauth-metadata/oauth-metadata.module.js';
import { McpModule } from './mcp.module.js';

/**
 * Adds MCP to a host application that also imports `DealSetsModule`: `POST /mcp`, and the OAuth
 * metadata (RFC 9728) in which clients find the issuer.
 */
@Module({ imports: [McpModule, OAuthMetadataModule.register({ hasApiDocs: false })] })
export class DealSetsMcpModule implements OnModuleInit {
  constructor(private readonly settings: Settings) {}

  /** @throws {Error} when a setting that clients need to connect is missing. */
  onModuleInit(): void {
    const { source, isPublicUrlSet } = originOf(this.settings);
    const { nameOf } = source;
    if (!this.settings.hasMcp) {
      throw new Error(
        `DealSetsMcpModule: turn ${nameOf('MCP')} on, so that the service also accepts tokens for /mcp`,
      );
    }
    // The default is the address that the standalone application listens on.
    if (!isPublicUrlSet) {
      throw new Error(
        `DealSetsMcpModule: set ${nameOf('PUBLIC_URL')} to the origin that clients use, such as https://api.example.com`,
      );
    }
  }
}
