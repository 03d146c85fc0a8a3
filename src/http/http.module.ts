import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ContractFilter } from './contract.filter.js';
import { EndpointDeclarations } from './endpoint-check.js';
import { EndpointRegistry } from './endpoint-registry.js';
import { RequestLog } from './request-log.js';
import { Requests } from './requests.js';

/** Requests in progress, the declared endpoints and the filter of their errors. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [Requests, RequestLog, ContractFilter, EndpointRegistry, EndpointDeclarations],
  exports: [Requests, ContractFilter, EndpointRegistry],
})
export class HttpModule {}
