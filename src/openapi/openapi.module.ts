import { Module } from '@nestjs/common';
import { ApiDescription } from './api-description.js';

/** The API description of the standalone application. */
@Module({ providers: [ApiDescription], exports: [ApiDescription] })
export class OpenApiModule {}
