import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { completeOpenApiDocument } from '@deal-sets/service';

const configuration = new DocumentBuilder()
  .setOpenAPIVersion('3.1.0')
  .setTitle('The shop')
  .setVersion('1.0')
  .build();

/** Serves the OpenAPI document of the shop's own routes and of the deal sets at `/shop/docs`. */
export function serveDescription(app: INestApplication): void {
  SwaggerModule.setup(
    'docs',
    app,
    () => completeOpenApiDocument(app, SwaggerModule.createDocument(app, configuration)),
    { useGlobalPrefix: true },
  );
}
