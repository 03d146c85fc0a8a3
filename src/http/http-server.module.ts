import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ContractFilter } from './contract.filter.js';
import { Entrance } from './http-server-lifecycle.js';
import { InputPipe } from './validation.pipe.js';

/** The HTTP server of the standalone application, with its global filter and pipe. */
@Module({
  providers: [
    Entrance,
    { provide: APP_FILTER, useExisting: ContractFilter },
    { provide: APP_PIPE, useValue: new InputPipe({ transform: true, whitelist: true }) },
  ],
  exports: [Entrance],
})
export class HttpServerModule {}
