import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ContractFilter } from './contract.filter.js';
import { EndpointRegistry } from './endpoint-registry.js';
import { Requests } from './requests.js';

/** Requests in progress, the declared endpoints and the filter of their errors. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [Requests, ContractFilter, EndpointRegistry],
  exports: [Requests, ContractFilter, EndpointRegistry],
})
export class HttpModule {}
