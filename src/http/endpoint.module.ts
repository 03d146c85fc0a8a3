import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EndpointCheck } from './endpoint-check.js';
import { EndpointRegistry } from './endpoint-registry.js';

/** The declared endpoints, for every module, and the check that each handler is declared. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [EndpointRegistry, EndpointCheck],
  exports: [EndpointRegistry],
})
export class EndpointModule {}
