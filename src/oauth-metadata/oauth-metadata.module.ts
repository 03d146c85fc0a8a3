import { Module, type DynamicModule } from '@nestjs/common';
import { HAS_API_DOCS, OAuthMetadataController } from './oauth-metadata.controller.js';

/** The OAuth metadata of the API and of `/mcp` (RFC 9728), in which a client finds the issuer. */
@Module({ controllers: [OAuthMetadataController] })
export class OAuthMetadataModule {
  /** @param hasApiDocs whether the application serves the documentation page of the API. */
  static register({ hasApiDocs }: { readonly hasApiDocs: boolean }): DynamicModule {
    return {
      module: OAuthMetadataModule,
      providers: [{ provide: HAS_API_DOCS, useValue: hasApiDocs }],
    };
  }
}
