import { ValidationPipe, type Provider } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';

/**
 * Checks the input of the shop's routes and of its endpoints with `@Endpoint`. The two endpoints of
 * the deal sets read their parameters directly, so the pipe does not apply to them.
 */
export const validation: Provider = {
  provide: APP_PIPE,
  useValue: new ValidationPipe({
    transform: true,
    transformOptions: { enableImplicitConversion: true },
    whitelist: true,
    forbidNonWhitelisted: true,
  }),
};
