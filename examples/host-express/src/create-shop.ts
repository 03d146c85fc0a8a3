import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { ShopModule, type ShopOptions } from './shop.module.js';

/** Creates the application, which does not listen yet. */
export async function createShop(options: ShopOptions): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(ShopModule.register(options));
  app.use(helmet());
  app.enableCors({ origin: 'https://shop.example' });
  app.setGlobalPrefix('shop');
  // Responses of the deal sets must not have an ETag.
  app.set('etag', false);
  app.enableShutdownHooks();
  return app;
}
