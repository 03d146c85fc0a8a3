import { Module } from '@nestjs/common';
import { ApiDescription } from './api-description.js';
import { DocumentationPage } from './documentation-page.js';

/** The API description of the standalone application, and its page. */
@Module({
  providers: [ApiDescription, DocumentationPage],
  exports: [ApiDescription, DocumentationPage],
})
export class OpenApiModule {}
