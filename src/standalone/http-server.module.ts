import { Module, ValidationPipe } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { HttpModule } from '../http/http.module.js';
import { EnvelopeFilter } from '../http/errors/envelope.filter.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { ConnectionLimit } from './connection-limit.js';
import { ServerHooks } from './server-hooks.js';
import { ServerShutdown } from './server-shutdown.js';

/** The HTTP server of the standalone application, with its global filter and pipe. */
@Module({
  imports: [HttpModule, ObservabilityModule],
  providers: [
    ConnectionLimit,
    ServerHooks,
    ServerShutdown,
    { provide: APP_FILTER, useExisting: EnvelopeFilter },
    { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true }) },
  ],
  exports: [ServerShutdown],
})
export class HttpServerModule {}
