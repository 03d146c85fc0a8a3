import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { HttpServerModule } from './http-server.module.js';
import { HealthController } from './health.controller.js';

/** The health probes of the standalone application. */
@Module({ imports: [DatabaseModule, HttpServerModule], controllers: [HealthController] })
export class HealthModule {}
