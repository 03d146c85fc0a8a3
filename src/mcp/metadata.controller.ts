import { Controller, Get } from '@nestjs/common';
import { MCP_PATH } from '../config/settings.js';
import { Settings } from '../config/settings.js';
import { Public } from '../http/endpoint-policy.js';
import { METADATA_PATH } from '../http/protected-resource.guard.js';
import { AppError } from '../kernel/app-error.js';
import { READ_SCOPE } from '../kernel/principal.js';

/** Protected resource metadata (RFC 9728). */
export interface ResourceMetadata {
  readonly resource: string;
  readonly resource_name: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly string[];
}

/** Where a client that was refused learns who issues its tokens: of the API at the root, and of `/mcp`. */
@Controller(METADATA_PATH)
@Public()
export class MetadataController {
  constructor(private readonly settings: Settings) {}

  @Get()
  describeApi(): ResourceMetadata {
    return this.#describe('');
  }

  @Get(MCP_PATH)
  describeMcp(): ResourceMetadata {
    return this.#describe(MCP_PATH);
  }

  /** @throws {AppError} `not_found` with the development issuer, which has no address. */
  #describe(path: string): ResourceMetadata {
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
