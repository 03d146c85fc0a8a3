import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpModule } from '../http/http.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { RedactionModule } from '../redaction/redaction.module.js';
import { EndpointRegistry } from './endpoint-registry.js';
import { RouteDiscovery } from './route-discovery.js';

/** The endpoints that `@Endpoint` declares, and the boot check of their declarations. */
@Module({
  imports: [DiscoveryModule, HttpModule, RateLimitModule, RedactionModule],
  providers: [RouteDiscovery, EndpointRegistry],
  exports: [EndpointRegistry],
})
export class EndpointModule {}
