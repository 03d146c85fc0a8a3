import { Module } from '@nestjs/common';
import { AppErrorFilter } from './app-error.filter.js';
import { Connections } from './connections.js';
import { Edge } from './edge.js';
import { RequestLog } from './request-log.js';

/** The edge, and the one exception filter, which the edge registers. */
@Module({
  providers: [Edge, RequestLog, Connections, AppErrorFilter],
  exports: [Edge],
})
export class HttpModule {}
