import {
  applyDecorators,
  Controller,
  Get,
  Header,
  HttpCode,
  Optional,
  Options,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { DOCS_PATH, ServerSettings } from '../config/service-settings.js';
import { MCP_PATH } from '../auth/mcp-resource.js';
import { Settings } from '../config/settings.js';
import { ServiceRoute } from '../endpoint/endpoint-policy.js';
import { EnvelopeFilter } from '../http/errors/envelope.filter.js';
import { AppError } from '../kernel/app-error.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { METADATA_PATH } from './metadata-path.js';

/** Metadata of an OAuth protected resource (RFC 9728, section 2). */
export interface ProtectedResourceMetadata {
  /** The value that a client sends as `resource` to the authorization server (RFC 8707). */
  readonly resource: string;
  readonly resource_name: string;
  /** Absent if the application does not serve the documentation page of the API. */
  readonly resource_documentation?: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly string[];
}

/**
 * Declares the handler of a preflight request. It allows any origin, and any header because MCP
 * clients send custom headers.
 */
const Preflight = (path = ''): MethodDecorator =>
  applyDecorators(
    Options(path),
    HttpCode(204),
    Header('Access-Control-Allow-Origin', '*'),
    Header('Access-Control-Allow-Methods', 'GET, HEAD'),
    Header('Access-Control-Allow-Headers', '*'),
  );

/**
 * Protected resource metadata (RFC 9728) of the API, at the root, and of `/mcp`: a client whose
 * request was rejected finds the issuer of its tokens here. The documents are public, so a page of
 * any origin may read them.
 *
 * The MCP SDK's `oauthMetadataResponse` is not used: it adds a slash to a resource without a path,
 * so that the audience of a token has the slash too, and it responds to other methods with a 405
 * without the error envelope.
 */
@Controller({ path: METADATA_PATH, version: VERSION_NEUTRAL })
@ServiceRoute()
@UseFilters(EnvelopeFilter)
export class OAuthMetadataController {
  constructor(
    private readonly settings: Settings,
    // Only the standalone application has settings of a server, and the documentation page.
    @Optional() private readonly server?: ServerSettings,
  ) {}

  @Get()
  @Header('Access-Control-Allow-Origin', '*')
  describeApi(): ProtectedResourceMetadata {
    return this.#describe('');
  }

  @Get(MCP_PATH)
  @Header('Access-Control-Allow-Origin', '*')
  describeMcp(): ProtectedResourceMetadata {
    return this.#describe(MCP_PATH);
  }

  // A preflight gets the 404 of the metadata where `#describe` throws it.
  @Preflight()
  allowApi(): void {
    this.#describe('');
  }

  @Preflight(MCP_PATH)
  allowMcp(): void {
    this.#describe(MCP_PATH);
  }

  /**
   * Returns the metadata of a resource.
   *
   * @param path the path of the resource; empty for the API.
   * @throws {AppError} `not_found` if the service uses the development issuer, which has no
   *   address, or its public URL is not known, or the resource is `/mcp` and MCP is off.
   */
  #describe(path: string): ProtectedResourceMetadata {
    const { issuer, publicUrl, hasMcp } = this.settings;
    const isServed = path !== MCP_PATH || hasMcp;
    if (!issuer || publicUrl === undefined || !isServed) throw new AppError('not_found');
    return {
      resource: publicUrl + path,
      resource_name: 'Deal Sets',
      ...(this.server?.hasApiDocs && { resource_documentation: publicUrl + DOCS_PATH }),
      authorization_servers: [issuer.issuer],
      scopes_supported: [READ_SCOPE],
      bearer_methods_supported: ['header'],
    };
  }
}
