import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AppErrorFilter } from './app-error.filter.js';
import { Connections } from './connections.js';
import { Edge } from './edge.js';
import { RequestLog } from './request-log.js';

/**
 * The edge and the one exception filter. Of several global filters Nest asks the one registered last
 * first; this one takes everything, so its module is imported first of all.
 */
@Module({
  providers: [Edge, RequestLog, Connections, { provide: APP_FILTER, useClass: AppErrorFilter }],
  exports: [Edge],
})
export class HttpModule {}
