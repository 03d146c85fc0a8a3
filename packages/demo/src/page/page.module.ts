import { Module, type DynamicModule } from '@nestjs/common';
import type { OpenDemo } from '../open-demo.js';
import { CurlController } from '../curl-guide.js';
import { ActionsController } from './actions.controller.js';
import { ConnectController } from './connect.controller.js';
import { HomeController } from './home.controller.js';
import { PageAssistant } from './page-assistant.js';
import { PageController } from './page.controller.js';
import { PageFiles } from './page-files.js';
import { DemoWorld, WorldActions } from './world-actions.js';

/** The web page at `/`. */
@Module({})
export class PageModule {
  /** @param authorization the module with the sessions, the approvals and the authorization server. */
  static register(world: OpenDemo, authorization: DynamicModule): DynamicModule {
    return {
      module: PageModule,
      imports: [authorization],
      controllers: [
        HomeController,
        PageController,
        ConnectController,
        ActionsController,
        CurlController,
      ],
      providers: [{ provide: DemoWorld, useValue: world }, PageFiles, PageAssistant, WorldActions],
    };
  }
}
