import { Module } from '@nestjs/common';
import { ManagementServer } from './management-server.js';

/** The management port of the standalone application. */
@Module({ providers: [ManagementServer] })
export class ManagementModule {}
