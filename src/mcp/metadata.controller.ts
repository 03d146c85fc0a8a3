import { Controller, Get } from '@nestjs/common';
import { MCP_PATH, Settings } from '../config/settings.js';
import { Public } from '../endpoint/endpoint-policy.js';
import { AppError } from '../kernel/app-error.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { METADATA_PATH } from './protected-resource.guard.js';

/**
 * Protected resource metadata (RFC 9728) of the API, at the root, and of `/mcp`. A client whose
 * request was rejected learns here which issuer's tokens it needs.
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
