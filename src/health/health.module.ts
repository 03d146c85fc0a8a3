import { Module } from '@nestjs/common';
import { EntranceModule } from '../http/entrance.module.js';
import { HealthController } from './health.controller.js';

@Module({ imports: [EntranceModule], controllers: [HealthController] })
export class HealthModule {}
