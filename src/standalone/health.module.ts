import { Module } from '@nestjs/common';
import { HttpServerModule } from './http-server.module.js';
import { HealthController } from './health.controller.js';

/** The health probes of the standalone application. */
@Module({ imports: [HttpServerModule], controllers: [HealthController] })
export class HealthModule {}
