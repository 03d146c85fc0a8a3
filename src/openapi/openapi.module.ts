import { Module, type DynamicModule } from '@nestjs/common';
import { DocsPageController } from './docs-page/docs-page.controller.js';
import { OpenApiController } from './openapi.controller.js';

/** The API description and the documentation page, from the endpoints of the whole application. */
@Module({})
export class OpenApiModule {
  /** @param rateLimits the module that exports the rate classes. */
  static register(rateLimits: DynamicModule): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [rateLimits],
      controllers: [OpenApiController, DocsPageController],
    };
  }
}
