import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { OAuthMetadataController } from './oauth-metadata.controller.js';

/** The OAuth metadata of the API and of `/mcp` (RFC 9728), in which a client finds the issuer. */
@Module({ imports: [HttpModule], controllers: [OAuthMetadataController] })
export class OAuthMetadataModule {}
