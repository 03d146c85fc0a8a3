import { Module } from '@nestjs/common';
import { ObservabilityModule } from '../observability/observability.module.js';
import { ManagementServer } from './management-server.js';

/** The management port of the standalone application. */
@Module({ imports: [ObservabilityModule], providers: [ManagementServer] })
export class ManagementModule {}
