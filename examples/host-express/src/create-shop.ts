import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { MCP_ROUTES } from '@deal-sets/service/mcp';
import helmet from 'helmet';
import { serveDescription } from './description.js';
import { ShopModule } from './shop.module.js';

/** Creates the application, which does not listen yet. */
export async function createShop(): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(ShopModule);
  app.use(helmet());
  app.enableCors({ origin: 'https://shop.example' });
  // MCP clients expect these routes at the root.
  app.setGlobalPrefix('shop', { exclude: [...MCP_ROUTES] });
  // Responses of the deal sets must not have an ETag.
  app.set('etag', false);
  app.enableShutdownHooks();
  serveDescription(app);
  return app;
}
